//! ```c
//! pid_t syscall(SYS_gettid);
//! ```
//! <https://man7.org/linux/man-pages/man2/gettid.2.html>
#![allow(unsafe_code, reason = "a system call")]

/// The kernel's number for the calling thread. A forked child has another one than the thread that forked.
#[allow(
    clippy::disallowed_methods,
    reason = "the C library has no wrapper before glibc 2.30"
)]
pub(crate) fn thread_id() -> Option<u32> {
    // SAFETY: takes no argument and touches no memory of ours.
    let tid = unsafe { libc::syscall(libc::SYS_gettid) };
    u32::try_from(tid).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_its_own() {
        let other = std::thread::spawn(thread_id).join().unwrap();
        assert!(thread_id().is_some() && other.is_some());
        assert_ne!(thread_id(), other);
        assert_eq!(thread_id(), thread_id());
    }
}
