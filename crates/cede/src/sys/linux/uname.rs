//! ```c
//! int uname(struct utsname *buf);
//! ```
//! <https://man7.org/linux/man-pages/man2/uname.2.html>
#![allow(unsafe_code, reason = "a system call")]

use std::mem::MaybeUninit;

use super::check;
use crate::sys::KernelName;

/// The running kernel's name; empty strings if it does not give one.
pub(crate) fn uname() -> KernelName {
    let mut name = MaybeUninit::<libc::utsname>::zeroed();
    // SAFETY: the pointer is valid for writes of one utsname.
    if check(unsafe { libc::uname(name.as_mut_ptr()) }).is_err() {
        return KernelName::default();
    }
    // SAFETY: all zeroes is a valid utsname, and so is what the kernel has written over it.
    let name = unsafe { name.assume_init() };
    KernelName {
        release: text(&name.release),
        build: text(&name.version),
    }
}

/// The text before the terminating 0 of a fixed-size C string.
fn text(chars: &[libc::c_char]) -> String {
    let bytes: Vec<u8> = chars
        .iter()
        .take_while(|&&c| c != 0)
        .flat_map(|c| c.to_ne_bytes())
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
