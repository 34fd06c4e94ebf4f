//! ```c
//! int sched_getaffinity(pid_t pid, size_t cpusetsize, cpu_set_t *mask);
//! ```
//! <https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::io;
use std::process;

use super::check;

/// 8192 CPUs on a 64-bit system, the most that Linux can be configured for on x86; glibc's own `cpu_set_t`
/// ends at 1024. With fewer than the kernel has, the call fails (EINVAL).
const WORDS: usize = 128;

/// On how many CPUs the process may run: the mask of its first thread, which `taskset` sets and threads
/// inherit. The calling thread's would do less well, since servers bind single threads.
///
/// The kernel has already taken away what the cpuset forbids and what is offline.
pub(crate) fn process_cpus() -> io::Result<usize> {
    let process = libc::pid_t::try_from(process::id()).map_err(io::Error::other)?;
    let mut mask = [0_usize; WORDS];
    // SAFETY: the pointer is valid for writes of size_of_val(&mask) bytes, which is the size that is passed.
    check(unsafe { libc::sched_getaffinity(process, size_of_val(&mask), (&raw mut mask).cast()) })?;
    Ok(mask.iter().map(|word| word.count_ones() as usize).sum())
}

#[cfg(test)]
mod tests {
    use super::super::{allowed_cpus, pin_to};
    use super::*;

    /// On a thread of its own, since with `--test-threads 1` a test runs on the first.
    #[test]
    fn a_thread_that_is_bound_does_not_count() {
        let bound = || {
            let (before, cpus) = (process_cpus().unwrap(), allowed_cpus().unwrap());
            assert_eq!(before, cpus.len());
            pin_to(cpus[0]).unwrap();
            assert_eq!(allowed_cpus().unwrap().len(), 1);
            assert_eq!(process_cpus().unwrap(), before);
        };
        std::thread::spawn(bound).join().unwrap();
    }
}
