//! ```c
//! int sched_getcpu(void);
//! ```
//! <https://man7.org/linux/man-pages/man3/sched_getcpu.3.html>
#![allow(unsafe_code, reason = "a system call")]

/// The CPU that the calling thread runs on right now.
pub(crate) fn current_cpu() -> Option<usize> {
    // SAFETY: takes no argument and touches no memory of ours.
    let cpu = unsafe { libc::sched_getcpu() };
    usize::try_from(cpu).ok()
}
