//! ```c
//! int getrusage(int who, struct rusage *usage);
//! ```
//! <https://man7.org/linux/man-pages/man2/getrusage.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::mem::MaybeUninit;

use super::check;
use crate::sys::ThreadUsage;

/// How often this thread was switched out so far, voluntarily or not. `None` if the kernel does not say.
///
/// A `sched_yield` that switches counts as an involuntary switch, a sleep as a voluntary one.
pub(crate) fn context_switches() -> Option<u64> {
    let usage = read()?;
    u64::try_from(usage.ru_nvcsw + usage.ru_nivcsw).ok()
}

/// What this thread has used so far, in one call. `None` if the kernel does not say.
pub(crate) fn thread_usage() -> Option<ThreadUsage> {
    let usage = read()?;
    let ns = |time: libc::timeval| u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_usec * 1_000).ok();
    Some(ThreadUsage {
        cpu_ns: ns(usage.ru_utime)? + ns(usage.ru_stime)?,
        slept: u64::try_from(usage.ru_nvcsw).ok()?,
        preempted: u64::try_from(usage.ru_nivcsw).ok()?,
    })
}

fn read() -> Option<libc::rusage> {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the pointer is valid for writes of one rusage.
    check(unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) }).ok()?;
    // SAFETY: the call succeeded, so the kernel has filled the structure.
    Some(unsafe { usage.assume_init() })
}
