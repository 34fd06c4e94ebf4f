//! A number that threads may wait on: a futex.

pub(crate) use self::imp::Word;

#[cfg(not(loom))]
mod imp {
    use std::sync::atomic::{AtomicU32, Ordering};

    use crate::sys;

    /// See [`super`].
    #[derive(Debug, Default)]
    pub(crate) struct Word(AtomicU32);

    impl Word {
        pub(crate) fn load(&self, ordering: Ordering) -> u32 {
            self.0.load(ordering)
        }

        pub(crate) fn store(&self, value: u32, ordering: Ordering) {
            self.0.store(value, ordering);
        }

        /// Blocks while the word is `expected`, until `deadline_ns` of the monotonic clock at the latest. May
        /// return early for no reason.
        pub(crate) fn wait(&self, expected: u32, deadline_ns: u64) {
            sys::park(&self.0, expected, deadline_ns);
        }

        /// Wakes a thread that waits on the word.
        pub(crate) fn wake(&self) {
            sys::unpark(&self.0);
        }
    }
}

#[cfg(loom)]
mod imp {
    use loom::sync::atomic::{AtomicU32, Ordering};
    use loom::sync::{Condvar, Mutex};

    /// See [`super`]. The lock stands for that of the kernel's hash bucket, under which futex(2) compares and goes
    /// to sleep in one step. There is no deadline: a wake-up that is lost shows as a thread that waits for ever.
    #[derive(Debug)]
    pub(crate) struct Word {
        value: AtomicU32,
        bucket: Mutex<()>,
        sleepers: Condvar,
    }

    impl Default for Word {
        fn default() -> Self {
            Self {
                value: AtomicU32::new(0),
                bucket: Mutex::new(()),
                sleepers: Condvar::new(),
            }
        }
    }

    impl Word {
        pub(crate) fn load(&self, ordering: Ordering) -> u32 {
            self.value.load(ordering)
        }

        pub(crate) fn store(&self, value: u32, ordering: Ordering) {
            self.value.store(value, ordering);
        }

        pub(crate) fn wait(&self, expected: u32, _deadline_ns: u64) {
            let bucket = crate::sync::lock(&self.bucket);
            if self.value.load(Ordering::Relaxed) == expected {
                drop(self.sleepers.wait(bucket));
            }
        }

        pub(crate) fn wake(&self) {
            let _bucket = crate::sync::lock(&self.bucket);
            self.sleepers.notify_one();
        }
    }
}
