//! ```c
//! int sched_setaffinity(pid_t pid, size_t cpusetsize, const cpu_set_t *mask);
//! int sched_getaffinity(pid_t pid, size_t cpusetsize, cpu_set_t *mask);
//! ```
//! <https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::io;

use super::check;

const THIS_THREAD: libc::pid_t = 0;
const WORD_BITS: usize = usize::BITS as usize;
/// 8192 CPUs on a 64-bit system, the most that Linux can be configured for on x86; glibc's own `cpu_set_t`
/// ends at 1024.
const WORDS: usize = 128;

/// A CPU mask as the kernel lays it out: an array of unsigned long, which is `usize` on Linux.
type Mask = [usize; WORDS];

/// The CPUs that the calling thread may run on, in ascending order.
pub(crate) fn allowed_cpus() -> io::Result<Vec<usize>> {
    let mut mask: Mask = [0; WORDS];
    // SAFETY: the pointer is valid for writes of size_of::<Mask>() bytes, which is the size that is passed.
    check(unsafe { libc::sched_getaffinity(THIS_THREAD, size_of::<Mask>(), (&raw mut mask).cast()) })?;
    let is_set = |cpu: &usize| {
        mask.get(cpu / WORD_BITS)
            .is_some_and(|word| word >> (cpu % WORD_BITS) & 1 == 1)
    };
    Ok((0..WORDS * WORD_BITS).filter(is_set).collect())
}

/// Binds the calling thread to one CPU.
pub(crate) fn pin_to(cpu: usize) -> io::Result<()> {
    let mut mask: Mask = [0; WORDS];
    *mask.get_mut(cpu / WORD_BITS).ok_or(io::ErrorKind::InvalidInput)? = 1 << (cpu % WORD_BITS);
    // SAFETY: the pointer is valid for reads of size_of::<Mask>() bytes, which is the size that is passed.
    check(unsafe { libc::sched_setaffinity(THIS_THREAD, size_of::<Mask>(), (&raw const mask).cast()) })
        .map(drop)
}
