//! ```c
//! int syscall(SYS_sched_getattr, pid_t pid, struct sched_attr *attr, unsigned int size, unsigned int flags);
//! ```
//! <https://man7.org/linux/man-pages/man2/sched_setattr.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::io;

use super::check;
use crate::sys::SchedAttr;

#[allow(clippy::cast_possible_truncation, reason = "56 bytes")]
const SIZE: libc::c_uint = size_of::<SchedAttr>() as libc::c_uint;
const THIS_THREAD: libc::pid_t = 0;
const NO_FLAGS: libc::c_uint = 0;

/// The calling thread's scheduling attributes.
#[allow(
    clippy::disallowed_methods,
    reason = "the C library has no wrapper before glibc 2.41"
)]
pub(crate) fn sched_attr() -> io::Result<SchedAttr> {
    let mut attr = SchedAttr::default();
    // SAFETY: the pointer is valid for writes of SIZE bytes, and every bit pattern is a valid SchedAttr.
    let returned = unsafe {
        libc::syscall(
            libc::SYS_sched_getattr,
            THIS_THREAD,
            &raw mut attr,
            SIZE,
            NO_FLAGS,
        )
    };
    check(returned)?;
    Ok(attr)
}
