//! `/proc/self/task/TID/syscall`: what another thread of this process is waiting in.
//! <https://man7.org/linux/man-pages/man5/proc_pid_syscall.5.html>

use std::fs::File;
use std::io::Read;

use crate::sys::thread_state::{ENOUGH_TEXT, ThreadState};

/// What that thread of this process waits for. `None` if there is no such thread (any more), or no `/proc`, or no
/// descriptor left, or a kernel without `CONFIG_HAVE_ARCH_TRACEHOOK`.
///
/// Costs some 2 us (Linux 6.18.44, a virtual machine: `cargo test --release -p cede --lib what_a_state_costs --
/// --ignored --nocapture`), so it is for now and then. Threads of one process may always ask about each other
/// (`__ptrace_may_access` in kernel/ptrace.c).
///
/// The number is one of [`thread_id`](super::thread_id); in a container whose `/proc` is its host's, where
/// threads have other numbers, no thread is found.
pub(crate) fn thread_state(tid: u32) -> Option<ThreadState> {
    let mut text = [0; ENOUGH_TEXT];
    let mut file = File::open(format!("/proc/self/task/{tid}/syscall")).ok()?;
    let length = file.read(&mut text).ok()?;
    ThreadState::parse(text.get(..length)?, libc::SYS_futex)
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::sync::mpsc;
    use std::thread;

    use super::super::gettid::thread_id;
    use super::*;
    use crate::cost::each_ns;

    /// A thread that has said its number and then waits for the end of the test.
    fn with_waiting_thread(test: impl FnOnce(u32)) {
        let (tell, told) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let waiting = thread::Builder::new()
            .name("odd) R (name".to_owned())
            .spawn(move || {
                tell.send(thread_id().unwrap()).unwrap();
                let _ = ended.recv();
            })
            .unwrap();
        test(told.recv().unwrap());
        drop(end);
        waiting.join().unwrap();
    }

    #[test]
    fn a_busy_thread_is_runnable() {
        let (tell, told) = mpsc::channel();
        let done = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                tell.send(thread_id().unwrap()).unwrap();
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    black_box(0);
                }
            });
            let tid = told.recv().unwrap();
            // It may still be on its way out of the call in which it told its number.
            while thread_state(tid) != Some(ThreadState::Runnable) {
                thread::sleep(std::time::Duration::from_millis(1));
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }

    #[test]
    fn a_thread_that_waits_for_data_is_blocked() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                tell.send(thread_id().unwrap()).unwrap();
                assert_eq!(reader.read(&mut [0]).unwrap(), 0);
            });
            let tid = told.recv().unwrap();
            while thread_state(tid) != Some(ThreadState::Blocked) {
                thread::sleep(std::time::Duration::from_millis(1));
            }
            drop(writer);
        });
    }

    #[test]
    fn a_thread_that_waits_for_another_is_locked_and_then_ends() {
        let mut number = 0;
        with_waiting_thread(|tid| {
            number = tid;
            // It is on its way from telling its number to waiting; this ends when it is there, or never.
            while thread_state(tid) != Some(ThreadState::Locked) {
                thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        assert_eq!(thread_state(number), None);
    }

    #[test]
    fn a_number_that_is_no_threads_has_no_state() {
        // Above the largest that the kernel gives (PID_MAX_LIMIT, 2^22).
        assert_eq!(thread_state(u32::MAX), None);
    }

    #[test]
    #[ignore = "prints costs, for the documentation"]
    fn what_a_state_costs() {
        const REPEATS: u32 = 5_000;
        with_waiting_thread(|tid| {
            let state = each_ns(REPEATS, &|| _ = black_box(thread_state(tid)));
            let own = each_ns(REPEATS, &|| _ = black_box(thread_id()));
            println!("thread_state {state} ns, against {own} ns for thread_id");
            assert!(own < state, "a file that costs less than a system call");
        });
    }
}
