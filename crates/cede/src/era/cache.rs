//! The running kernel, looked at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use super::{Kernel, Witnesses, detect};

static KERNEL: OnceLock<Kernel> = OnceLock::new();
/// Whether a background thread was started, or would be if there could be one.
static STARTED: AtomicBool = AtomicBool::new(false);

/// What `sched_yield(2)` does on the running kernel, found out on the first call and remembered from then on.
///
/// The first call waits for the measurement of [`detect`], some 20 ms at most; every other thread that asks
/// meanwhile waits for the same one. Later calls cost one load. A BPF scheduler that is loaded or unloaded later
/// is not noticed.
///
/// ```
/// use std::ptr;
///
/// let kernel = cede::era::current();
/// println!("{}, forfeits: {}", kernel.era, kernel.forfeits);
/// assert!(ptr::eq(kernel, cede::era::current()));
/// ```
#[must_use]
pub fn current() -> &'static Kernel {
    KERNEL.get_or_init(|| detect(Witnesses::ALL))
}

/// The same as [`current`] without waiting: `None` until the answer is there.
///
/// The first call has a thread of its own find out, and returns. With the answer there, a call costs one load: it
/// may stand in a hot path. Where no thread can be started, nothing is measured, and the kernel's version decides.
///
/// ```
/// use cede::era;
///
/// // The kernel is not known yet, most likely: go on with what is right everywhere.
/// let _too_early = era::try_current();
/// // Later it is.
/// assert_eq!(era::current().era, era::try_current().unwrap().era);
/// ```
#[must_use]
pub fn try_current() -> Option<&'static Kernel> {
    let kernel = KERNEL.get();
    if kernel.is_none() {
        start();
    }
    kernel
}

#[cold]
fn start() {
    // Relaxed: nothing hangs on it but who starts the thread, and that is the one who finds it false.
    if STARTED.load(Relaxed) || STARTED.swap(true, Relaxed) {
        return;
    }
    let started = thread::Builder::new()
        .name("cede-era".to_owned())
        .spawn(|| _ = current());
    if started.is_err() {
        // Its own threads could not be started either, so this does not wait for anything.
        let _kernel = current();
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    fn everyone_who_asks_gets_the_same_answer() {
        let answers: Vec<&Kernel> = thread::scope(|scope| {
            let asking: Vec<_> = (0..8)
                .map(|nth| {
                    scope.spawn(move || {
                        if nth % 2 == 0 {
                            return current();
                        }
                        loop {
                            if let Some(kernel) = try_current() {
                                return kernel;
                            }
                            thread::sleep(std::time::Duration::from_millis(1));
                        }
                    })
                })
                .collect();
            asking.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|kernel| ptr::eq(*kernel, current())));
    }
}
