//! ```c
//! int syscall(SYS_sched_setattr, pid_t pid, struct sched_attr *attr, unsigned int flags);
//! ```
//! <https://man7.org/linux/man-pages/man2/sched_setattr.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::io;

use super::check;
use crate::sys::SchedAttr;

const THIS_THREAD: libc::pid_t = 0;
const NO_FLAGS: libc::c_uint = 0;

/// Sets the calling thread's scheduling attributes. `attr.size` says how much of it the kernel reads, so
/// start from what [`sched_attr`](super::sched_attr) returned.
#[allow(
    clippy::disallowed_methods,
    reason = "the C library has no wrapper before glibc 2.41"
)]
pub(crate) fn set_sched_attr(attr: &SchedAttr) -> io::Result<()> {
    debug_assert!(attr.size as usize <= size_of::<SchedAttr>());
    // A copy, because the kernel writes its own size into `size` when it rejects the given one (E2BIG).
    let mut attr = *attr;
    // SAFETY: the pointer is valid for reads and writes of attr.size bytes, at most the whole structure.
    let returned = unsafe { libc::syscall(libc::SYS_sched_setattr, THIS_THREAD, &raw mut attr, NO_FLAGS) };
    check(returned).map(drop)
}
