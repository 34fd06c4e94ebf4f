//! ```c
//! int nanosleep(const struct timespec *duration, struct timespec *_Nullable rem);
//! ```
//! <https://man7.org/linux/man-pages/man2/nanosleep.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::ptr;

/// The most that `tv_nsec` takes.
const MOST_NS: u64 = 999_999_999;

/// The shortest sleep that still leaves the run queue: 0 ns would return at once.
static SHORTEST: libc::timespec = libc::timespec {
    tv_sec: 0,
    tv_nsec: 1,
};

/// Sleeps for `ns`, below a second, and as much longer as the thread's timer slack lets the kernel.
pub(crate) fn nap_for(ns: u64) {
    let time = libc::timespec {
        tv_sec: 0,
        #[allow(clippy::cast_possible_wrap, reason = "below 10^9")]
        tv_nsec: ns.min(MOST_NS) as libc::c_long,
    };
    // SAFETY: the first pointer is to a valid timespec that lives as long as the call, the second may be null.
    // The result is not looked at, as below.
    let _ = unsafe { libc::nanosleep(&raw const time, ptr::null_mut()) };
}

/// Sleeps for as short as the thread's timer slack lets it.
pub(crate) fn nap() {
    // SAFETY: the first pointer is to a valid timespec that lives as long as the program, the second may be
    // null.
    // The result is not looked at: a signal that ends the nap early (EINTR) has let others run as well.
    let _ = unsafe { libc::nanosleep(&raw const SHORTEST, ptr::null_mut()) };
}
