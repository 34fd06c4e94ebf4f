//! The clock of the load client: nanoseconds of `CLOCK_MONOTONIC`, the clock that its timers are armed on.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

/// The time, in ns since an arbitrary point that all threads share.
pub(super) fn now_ns() -> u64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Monotonic);
    // The monotonic clock starts near boot: neither part is ever negative.
    tv_sec.cast_unsigned() * NANOSECONDS_PER_SECOND + tv_nsec.cast_unsigned()
}

/// CPU time that this process has used so far, over all its threads.
pub(super) fn process_cpu() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ProcessCPUTime);
    Duration::from_nanos(tv_sec.cast_unsigned() * NANOSECONDS_PER_SECOND + tv_nsec.cast_unsigned())
}

/// A time that is already known in ns, as a duration from `earlier` to `later`; none if `later` is not later.
pub(super) fn between(earlier_ns: u64, later_ns: u64) -> Duration {
    Duration::from_nanos(later_ns.saturating_sub(earlier_ns))
}
