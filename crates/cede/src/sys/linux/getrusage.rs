//! ```c
//! int getrusage(int who, struct rusage *usage);
//! ```
//! <https://man7.org/linux/man-pages/man2/getrusage.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::mem::MaybeUninit;

use super::check;

/// How often this thread was switched out so far, voluntarily or not. `None` if the kernel does not say.
///
/// A `sched_yield` that switches counts as an involuntary switch, a sleep as a voluntary one.
pub(crate) fn context_switches() -> Option<u64> {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the pointer is valid for writes of one rusage.
    check(unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) }).ok()?;
    // SAFETY: the call succeeded, so the kernel has filled the structure.
    let usage = unsafe { usage.assume_init() };
    u64::try_from(usage.ru_nvcsw + usage.ru_nivcsw).ok()
}
