//! Systems other than Linux: the standard library's yield and sleep. The rest behaves like a kernel that
//! accepts a setting and ignores it, or says that it cannot tell.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::{KernelName, SchedAttr, ThreadState, ThreadTimes, ThreadUsage};
use crate::nanos::nanos;

/// Gives the CPU away.
#[allow(
    clippy::disallowed_methods,
    reason = "this is the one place that the lint leads to"
)]
pub(crate) fn yield_cpu() {
    std::thread::yield_now();
}

/// Sleeps as short as the system can.
pub(crate) fn nap() {
    std::thread::sleep(Duration::from_nanos(1));
}

/// Sleeps for `ns`, and as much longer as the system likes.
pub(crate) fn nap_for(ns: u64) {
    std::thread::sleep(Duration::from_nanos(ns));
}

/// The standard library's monotonic clock, from the first call on.
pub(crate) fn monotonic_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let since = START.get_or_init(Instant::now).elapsed();
    // Not 0, which stands for "no time".
    nanos(since).max(1)
}

/// Sleeps for a millisecond at most, and comes back to look.
pub(crate) fn park(word: &AtomicU32, expected: u32, deadline_ns: u64) {
    let left = Duration::from_nanos(deadline_ns.saturating_sub(monotonic_ns()));
    if word.load(Ordering::Relaxed) == expected {
        std::thread::sleep(left.min(Duration::from_millis(1)));
    }
}

/// Who is parked looks by himself.
pub(crate) fn unpark(_word: &AtomicU32) {}

/// Not told per thread.
pub(crate) fn context_switches() -> Option<u64> {
    None
}

/// Not told per thread.
pub(crate) fn thread_usage() -> Option<ThreadUsage> {
    None
}

/// No such setting: reads as 0.
#[allow(clippy::unnecessary_wraps, reason = "one signature for every system")]
pub(crate) fn timer_slack() -> io::Result<u64> {
    Ok(0)
}

/// No such setting: accepted and ignored.
#[allow(clippy::unnecessary_wraps, reason = "one signature for every system")]
pub(crate) fn set_timer_slack(_ns: u64) -> io::Result<()> {
    Ok(())
}

/// No such attributes: reads as an ordinary thread whose slice is not told.
#[allow(clippy::unnecessary_wraps, reason = "one signature for every system")]
pub(crate) fn sched_attr() -> io::Result<SchedAttr> {
    Ok(SchedAttr::default())
}

/// No such attributes: accepted and ignored, so that reading back shows it, as on Linux before 6.12.
#[allow(clippy::unnecessary_wraps, reason = "one signature for every system")]
pub(crate) fn set_sched_attr(_attr: &SchedAttr) -> io::Result<()> {
    Ok(())
}

/// Not portable.
pub(crate) fn allowed_cpus() -> io::Result<Vec<usize>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Not portable.
pub(crate) fn pin_to(_cpu: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Not portable.
pub(crate) fn current_cpu() -> Option<usize> {
    None
}

/// Not portable.
pub(crate) fn thread_cpu_time() -> io::Result<Duration> {
    Err(io::ErrorKind::Unsupported.into())
}

/// What the standard library says, which on some systems knows about limits.
pub(crate) fn process_cpus() -> io::Result<usize> {
    std::thread::available_parallelism().map(usize::from)
}

/// Not portable.
pub(crate) fn thread_id() -> Option<u32> {
    None
}

/// Not told.
pub(crate) fn thread_times() -> Option<ThreadTimes> {
    None
}

/// Not told.
pub(crate) fn thread_state(_tid: u32) -> Option<ThreadState> {
    None
}

/// The name of the system, without a kernel release.
pub(crate) fn uname() -> KernelName {
    KernelName {
        release: std::env::consts::OS.to_owned(),
        build: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_accepted_and_ignored() {
        let attr = sched_attr().unwrap();
        assert!(attr.is_fair());
        set_sched_attr(&attr.with_runtime(350_000)).unwrap();
        assert_eq!(sched_attr().unwrap().sched_runtime, 0);
    }

    #[test]
    fn what_cannot_be_told_says_so() {
        yield_cpu();
        nap();
        nap_for(1);
        let word = AtomicU32::new(1);
        let start = monotonic_ns();
        park(&word, 1, start + 1_000_000);
        unpark(&word);
        assert!(monotonic_ns() > start);
        set_timer_slack(1).unwrap();
        assert_eq!(timer_slack().unwrap(), 0);
        assert_eq!((context_switches(), thread_usage()), (None, None));
        assert_eq!(current_cpu(), None);
        assert!(allowed_cpus().is_err() && pin_to(0).is_err() && thread_cpu_time().is_err());
        assert!(process_cpus().is_ok_and(|cpus| cpus > 0));
        assert_eq!((thread_id(), thread_times(), thread_state(1)), (None, None, None));
        assert!(uname().build.is_empty());
    }
}
