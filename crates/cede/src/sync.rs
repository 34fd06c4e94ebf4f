//! Atomics, locks and the parking of threads: from the standard library and the kernel, or from loom when the
//! models of [`gate`](crate::gate) are run (`--cfg loom`), which tries every interleaving of them.

mod word;

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU64, AtomicUsize, fence};
#[cfg(loom)]
pub(crate) use loom::sync::{Mutex, MutexGuard};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU64, AtomicUsize, fence};
#[cfg(not(loom))]
pub(crate) use std::sync::{Mutex, MutexGuard};

pub(crate) use std::sync::atomic::Ordering;

pub(crate) use self::word::Word;

/// Locks. What the gate's locks guard is whole again before anything in there could panic, so that a poisoned one
/// is no reason to take other threads down.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Locks if that takes no waiting.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    use std::sync::TryLockError;

    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The monotonic clock, in nanoseconds. Under loom it stands still: a model must not hang on the time.
pub(crate) fn now_ns() -> u64 {
    #[cfg(loom)]
    return 1_000_000_000;
    #[cfg(not(loom))]
    crate::sys::monotonic_ns()
}
