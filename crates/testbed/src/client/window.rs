use std::sync::atomic::{AtomicU64, Ordering};

const NEVER: u64 = u64::MAX;

/// The measured part of a run, shared between the thread that conducts it and those that make the load.
#[derive(Debug)]
pub(super) struct Window {
    start_ns: AtomicU64,
    end_ns: AtomicU64,
}

impl Window {
    /// A window that has neither begun nor an end.
    pub(super) fn new() -> Self {
        Self {
            start_ns: AtomicU64::new(NEVER),
            end_ns: AtomicU64::new(NEVER),
        }
    }

    /// Sets both ends. Whoever sees the start sees the end as well.
    pub(super) fn open(&self, start_ns: u64, end_ns: u64) {
        self.end_ns.fetch_min(end_ns, Ordering::Relaxed);
        self.start_ns.store(start_ns, Ordering::Release);
    }

    /// Moves the end to `end_ns` if it was later; also before the window has opened.
    pub(super) fn close(&self, end_ns: u64) {
        self.end_ns.fetch_min(end_ns, Ordering::Relaxed);
    }

    /// The end, in ns.
    pub(super) fn end_ns(&self) -> u64 {
        self.end_ns.load(Ordering::Relaxed)
    }

    /// Whether `time_ns` is in the measured part.
    pub(super) fn contains(&self, time_ns: u64) -> bool {
        self.start_ns.load(Ordering::Acquire) <= time_ns && time_ns < self.end_ns()
    }

    /// Whether the run is over at `now_ns`.
    pub(super) fn is_over(&self, now_ns: u64) -> bool {
        self.end_ns() <= now_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_contains_its_start_but_not_its_end() {
        let window = Window::new();
        assert!(!window.contains(5) && !window.is_over(5));
        window.open(10, 20);
        assert_eq!(
            [9, 10, 19, 20].map(|time| window.contains(time)),
            [false, true, true, false]
        );
        assert!(window.is_over(20));
    }

    #[test]
    fn it_can_close_early_but_not_late() {
        let window = Window::new();
        window.close(15);
        window.open(10, 20);
        window.close(30);
        assert!(window.contains(14) && !window.contains(15));
    }
}
