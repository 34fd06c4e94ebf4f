use std::{
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Wakes threads that wait for a condition over atomics; ringing it while nobody waits costs one load.
///
/// No wake-up is lost if the condition's atomics are written, before the ring, and read with `SeqCst`: either the
/// ringer sees the waiter in `waiting`, or the waiter, which counts itself first, sees the new values.
#[derive(Debug, Default)]
pub(super) struct Bell {
    waiting: AtomicU64,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Bell {
    /// Wakes every waiter to look at its condition again.
    pub(super) fn ring(&self) {
        if self.waiting.load(Ordering::SeqCst) > 0 {
            // A waiter holds the lock from its look at the condition until it sleeps.
            drop(self.lock.lock());
            self.wake.notify_all();
        }
    }

    /// Blocks until `ready`.
    pub(super) fn wait_until(&self, ready: impl Fn() -> bool) {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        while !ready() {
            held = self.wake.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Blocks for `time`, or until `ready`. As exact as a sleep: the wait is a futex with a deadline on the monotonic
    /// clock, to which the thread's timer slack applies.
    pub(super) fn wait_for(&self, time: Duration, ready: impl Fn() -> bool) {
        let held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let held = self.wake.wait_timeout_while(held, time, |()| !ready());
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        drop(held);
    }

    /// Threads that wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::SeqCst)
    }
}
