//! ```c
//! int clock_gettime(clockid_t clockid, struct timespec *tp);
//! ```
//! <https://man7.org/linux/man-pages/man2/clock_gettime.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::io;
use std::time::Duration;

use super::check;

const ZERO: libc::timespec = libc::timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

/// The CPU time that the calling thread has used so far.
pub(crate) fn thread_cpu_time() -> io::Result<Duration> {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The monotonic clock, in nanoseconds. 22 ns, by the vDSO.
pub(crate) fn monotonic_ns() -> u64 {
    let mut time = ZERO;
    // SAFETY: the pointer is valid for writes of one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    // Cannot fail: the clock is there since Linux 2.6, and the pointer is valid. It counts from the system's start, so
    // nothing is negative or overflows. By way of a `Result` and a `Duration` this took longer.
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

fn read(clock: libc::clockid_t) -> io::Result<Duration> {
    let mut time = ZERO;
    // SAFETY: the pointer is valid for writes of one timespec.
    check(unsafe { libc::clock_gettime(clock, &raw mut time) })?;
    let seconds = u64::try_from(time.tv_sec).map_err(io::Error::other)?;
    let nanoseconds = u32::try_from(time.tv_nsec).map_err(io::Error::other)?;
    Ok(Duration::new(seconds, nanoseconds))
}
