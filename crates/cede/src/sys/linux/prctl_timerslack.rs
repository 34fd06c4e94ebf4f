//! ```c
//! int prctl(PR_SET_TIMERSLACK, unsigned long slack);
//! int prctl(PR_GET_TIMERSLACK);
//! ```
//! <https://man7.org/linux/man-pages/man2/PR_SET_TIMERSLACK.2const.html>
#![allow(unsafe_code, reason = "a system call")]

use std::io;

use super::check;

/// The calling thread's timer slack in nanoseconds (50 000 by default).
pub(crate) fn timer_slack() -> io::Result<u64> {
    // SAFETY: this operation takes no further argument and touches no memory of ours.
    let ns = check(unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) })?;
    u64::try_from(ns).map_err(io::Error::other)
}

/// Sets the calling thread's timer slack, in nanoseconds; 0 means the thread's default.
pub(crate) fn set_timer_slack(ns: u64) -> io::Result<()> {
    let ns = libc::c_ulong::try_from(ns).map_err(io::Error::other)?;
    // SAFETY: this operation takes one unsigned long and touches no memory of ours.
    check(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, ns) }).map(drop)
}
