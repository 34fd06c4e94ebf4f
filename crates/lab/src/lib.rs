//! The lab: boots real Debian kernels in QEMU and runs scenarios in them, in virtual time that is the instruction
//! count, so that a result is the same on every host.

mod cache;

pub use cache::{Cache, CacheError};
