//! A thread's timer slack: by how much the kernel may delay the end of a sleep.

use crate::sys;

/// A changed timer slack, put back on drop.
#[derive(Debug)]
pub(crate) struct TimerSlack {
    earlier_ns: u64,
}

impl TimerSlack {
    /// Sets the calling thread's slack. `None` if the kernel refuses, and nothing has changed then.
    pub(crate) fn set(ns: u64) -> Option<Self> {
        let earlier_ns = sys::timer_slack().ok()?;
        sys::set_timer_slack(ns).ok()?;
        Some(Self { earlier_ns })
    }
}

impl Drop for TimerSlack {
    fn drop(&mut self) {
        // The kernel took a slack from this thread before; if it no longer does, there is nobody to tell.
        let _ = sys::set_timer_slack(self.earlier_ns);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_slack_is_changed_and_put_back() {
        sys::set_timer_slack(40_000).unwrap();
        {
            let _slack = TimerSlack::set(1).unwrap();
            assert_eq!(sys::timer_slack().unwrap(), 1);
        }
        assert_eq!(sys::timer_slack().unwrap(), 40_000);
    }
}
