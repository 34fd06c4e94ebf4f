use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use scenario::GuardCounter;

/// A number of threads. MongoDB releases differ in how the guard reads it: through a relaxed atomic, or through a mutex
/// that the whole process shares and every yield point takes.
#[derive(Debug)]
pub(super) enum ThreadCount {
    Relaxed(AtomicUsize),
    Mutex(Mutex<usize>),
}

impl ThreadCount {
    pub(super) fn new(counter: GuardCounter) -> Self {
        match counter {
            GuardCounter::Relaxed => Self::Relaxed(AtomicUsize::default()),
            GuardCounter::Mutex => Self::Mutex(Mutex::default()),
        }
    }

    pub(super) fn get(&self) -> usize {
        match self {
            Self::Relaxed(count) => count.load(Ordering::Relaxed),
            Self::Mutex(count) => *count.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Counts one thread more, until the result is dropped.
    pub(super) fn enter(&self) -> Counted<'_> {
        match self {
            Self::Relaxed(count) => {
                count.fetch_add(1, Ordering::Relaxed);
            }
            Self::Mutex(count) => *count.lock().unwrap_or_else(PoisonError::into_inner) += 1,
        }
        Counted(self)
    }
}

/// One thread is counted while this lives.
#[derive(Debug)]
pub(super) struct Counted<'a>(&'a ThreadCount);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        match self.0 {
            ThreadCount::Relaxed(count) => {
                count.fetch_sub(1, Ordering::Relaxed);
            }
            ThreadCount::Mutex(count) => *count.lock().unwrap_or_else(PoisonError::into_inner) -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_counters_count_threads_that_come_and_go() {
        for counter in GuardCounter::ALL {
            let count = ThreadCount::new(*counter);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| (0..1_000).for_each(|_| drop(count.enter())));
                }
            });
            let one = count.enter();
            assert_eq!(count.get(), 1);
            drop(one);
            assert_eq!(count.get(), 0);
        }
    }
}
