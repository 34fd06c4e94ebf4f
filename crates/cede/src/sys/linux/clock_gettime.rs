//! ```c
//! int clock_gettime(clockid_t clockid, struct timespec *tp);
//! ```
//! <https://man7.org/linux/man-pages/man2/clock_gettime.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::io;
use std::time::Duration;

use super::check;

/// The CPU time that the calling thread has used so far.
pub(crate) fn thread_cpu_time() -> io::Result<Duration> {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The monotonic clock, in nanoseconds. 22 ns, by the vDSO.
pub(crate) fn monotonic_ns() -> u64 {
    // Cannot fail: the clock is there since Linux 2.6, and the pointer is valid.
    let now = read(libc::CLOCK_MONOTONIC).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

fn read(clock: libc::clockid_t) -> io::Result<Duration> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is valid for writes of one timespec.
    check(unsafe { libc::clock_gettime(clock, &raw mut time) })?;
    let seconds = u64::try_from(time.tv_sec).map_err(io::Error::other)?;
    let nanoseconds = u32::try_from(time.tv_nsec).map_err(io::Error::other)?;
    Ok(Duration::new(seconds, nanoseconds))
}
