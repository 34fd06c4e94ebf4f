//! ```c
//! long syscall(SYS_futex, uint32_t *uaddr, int futex_op, uint32_t val,
//!              const struct timespec *timeout, uint32_t *uaddr2, uint32_t val3);
//! ```
//! <https://man7.org/linux/man-pages/man2/futex.2.html>
#![allow(unsafe_code, reason = "a system call")]
#![allow(
    clippy::disallowed_methods,
    reason = "libc has no function for futex(2), and raw system calls live here"
)]

use std::ptr;
use std::sync::atomic::AtomicU32;

/// The bit set that parked threads wait with: "cede" in ASCII. Any would do, since the wake-up matches all; this
/// one tells a park from a wait for a lock in a trace of system calls.
const BITSET: u32 = 0x6365_6465;

/// Blocks while `word` is `expected`, until `deadline_ns` of the monotonic clock at the latest. May return early for
/// no reason, or for a signal.
pub(crate) fn park(word: &AtomicU32, expected: u32, deadline_ns: u64) {
    const NS: u64 = 1_000_000_000;
    let deadline = libc::timespec {
        tv_sec: libc::time_t::try_from(deadline_ns / NS).unwrap_or(libc::time_t::MAX),
        #[allow(clippy::cast_possible_wrap, reason = "below 10^9")]
        tv_nsec: (deadline_ns % NS) as libc::c_long,
    };
    // SAFETY: the word is aligned and alive for the length of the call, the deadline too; the fifth argument is not
    // used by this operation.
    // The result is not looked at: woken, too late, interrupted or "not that value", the caller looks again.
    let _ = unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG,
            expected,
            &raw const deadline,
            ptr::null::<u32>(),
            BITSET,
        )
    };
}

/// Wakes a thread that is parked on `word`.
pub(crate) fn unpark(word: &AtomicU32) {
    // SAFETY: the kernel takes the address as a name only; it does not read or write what is there.
    let _ = unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
            1,
        )
    };
}
