//! ```c
//! int sched_yield(void);
//! ```
//! <https://man7.org/linux/man-pages/man2/sched_yield.2.html>
#![allow(unsafe_code, reason = "a system call")]

/// Gives the CPU away; the scheduler decides for how long, and whether at all.
#[allow(
    clippy::disallowed_methods,
    reason = "this is the one place that the lint leads to"
)]
pub(crate) fn yield_cpu() {
    // SAFETY: takes no argument and touches no memory of ours.
    // The result is not looked at: on Linux the call always succeeds (manual page, RETURN VALUE).
    let _ = unsafe { libc::sched_yield() };
}
