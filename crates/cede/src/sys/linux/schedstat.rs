//! `/proc/thread-self/schedstat`: the calling thread's time on a CPU and in the run queue.
//! <https://docs.kernel.org/scheduler/sched-stats.html>

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::mem;
use std::os::unix::fs::FileExt;

use super::gettid::thread_id;
use crate::sys::thread_times::{LONGEST_TEXT, ThreadTimes};

/// Since Linux 3.17 (proc(5)).
const PATH: &str = "/proc/thread-self/schedstat";

thread_local! {
    static OWN: RefCell<Schedstat> = const { RefCell::new(Schedstat::UNOPENED) };
}

/// The calling thread's times. `None` if the kernel does not account (`CONFIG_SCHED_INFO`), if `/proc` is not
/// there or hides the file, or while the process has no descriptor left.
///
/// The first call opens the file, and the thread keeps one descriptor until it ends: count on one per
/// thread that asks. After that a call costs 0.4 us, against 1.6 us for opening it each time (Linux 6.18.44,
/// a virtual machine: `cargo test --release -p cede --lib what_times_cost -- --ignored --nocapture`).
pub(crate) fn thread_times() -> Option<ThreadTimes> {
    // Neither at the end of the thread, when the file is closed already, nor from a signal's handler that
    // interrupted this very function is there an answer.
    let read = |own: &RefCell<Schedstat>| own.try_borrow_mut().ok()?.read();
    OWN.try_with(read).ok().flatten()
}

/// The file, and whose it is.
#[derive(Debug)]
struct Schedstat {
    /// `None` before the first attempt.
    tid: Option<u32>,
    /// `None` if this thread cannot have it.
    file: Option<File>,
}

impl Schedstat {
    const UNOPENED: Self = Self {
        tid: None,
        file: None,
    };

    fn read(&mut self) -> Option<ThreadTimes> {
        let mut text = [0; LONGEST_TEXT];
        let length = self.file()?.read_at(&mut text, 0).ok()?;
        ThreadTimes::parse(text.get(..length)?)
    }

    fn file(&mut self) -> Option<&File> {
        let tid = thread_id();
        self.let_go_if_inherited(tid);
        if self.tid.is_none() {
            self.tid = tid;
            match File::open(PATH) {
                Ok(file) => self.file = Some(file),
                // Passes; everything else will be the same next time, and is not asked for again.
                Err(error) if is_shortage(&error) => self.tid = None,
                Err(_) => {}
            }
        }
        self.file.as_ref()
    }

    /// What a file of `/proc` refers to is settled when it is opened. A process that was forked has inherited
    /// the file of the thread that forked, and has to open its own: the thread's number tells.
    ///
    /// The inherited one is left open, not closed: between a fork and here, a daemon closes every descriptor
    /// that it does not know, and the number may be somebody else's by now.
    fn let_go_if_inherited(&mut self, tid: Option<u32>) {
        if self.tid != tid {
            mem::forget(self.file.take());
            self.tid = None;
        }
    }
}

impl Drop for Schedstat {
    fn drop(&mut self) {
        self.let_go_if_inherited(thread_id());
    }
}

/// Of descriptors (open(2)) or of memory.
fn is_shortage(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM)
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::hint::black_box;
    use std::os::fd::AsRawFd;
    use std::path::PathBuf;
    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::cost::each_ns;
    use crate::sys;

    /// Whether this system lets a thread read its times at all.
    fn is_accounted() -> bool {
        fs::read(PATH).is_ok_and(|text| ThreadTimes::parse(&text).is_some())
    }

    fn target(own: &Schedstat) -> PathBuf {
        let descriptor = own.file.as_ref().unwrap().as_raw_fd();
        fs::read_link(format!("/proc/self/fd/{descriptor}")).unwrap()
    }

    fn path_of_this_thread() -> PathBuf {
        let tid = thread_id().unwrap();
        format!("/proc/{}/task/{tid}/schedstat", std::process::id()).into()
    }

    #[test]
    fn times_grow_with_turns_on_the_cpu() {
        let Some(before) = thread_times() else {
            assert!(!is_accounted());
            return;
        };
        // Sleeps end in a wake-up and a new turn; the time is of no interest.
        (0..10).for_each(|_| sys::nap());
        let after = thread_times().unwrap();
        assert!(after.timeslices > before.timeslices, "{before:?}, {after:?}");
        assert!(after.run_delay_ns >= before.run_delay_ns && after.cpu_ns > before.cpu_ns);
    }

    /// Like after a fork: the value is there and was opened by another thread, which still lives.
    #[test]
    fn a_file_that_is_another_threads_is_not_read() {
        if !is_accounted() {
            return;
        }
        let (opened, handed_over) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let other = thread::spawn(move || {
            let mut own = Schedstat::UNOPENED;
            assert!(own.read().is_some());
            assert_eq!(target(&own), path_of_this_thread());
            opened.send(own).unwrap();
            ended.recv().unwrap();
        });
        let mut own = handed_over.recv().unwrap();
        assert_ne!(target(&own), path_of_this_thread());
        assert!(own.read().is_some());
        assert_eq!(target(&own), path_of_this_thread());
        end.send(()).unwrap();
        other.join().unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_had_is_asked_for_once_per_thread() {
        let mut own = Schedstat::UNOPENED;
        own.tid = thread_id();
        assert_eq!(own.read(), None);
        assert!(own.file.is_none());
        own.tid = None;
        assert_eq!(own.read().is_some(), is_accounted());
    }

    #[test]
    fn only_a_shortage_passes() {
        for (errno, passes) in [
            (libc::EMFILE, true),
            (libc::ENFILE, true),
            (libc::ENOENT, false),
            (libc::EACCES, false),
        ] {
            assert_eq!(
                is_shortage(&io::Error::from_raw_os_error(errno)),
                passes,
                "{errno}"
            );
        }
    }

    #[test]
    #[ignore = "prints costs, for the documentation"]
    fn what_times_cost() {
        const REPEATS: u32 = 10_000;
        let kept = each_ns(REPEATS, &|| _ = black_box(thread_times()));
        let anew = each_ns(REPEATS, &|| {
            let mut own = Schedstat::UNOPENED;
            black_box(own.read());
        });
        println!("kept open {kept} ns, opened anew {anew} ns");
        assert!(kept < anew, "keeping the file open does not pay");
    }
}
