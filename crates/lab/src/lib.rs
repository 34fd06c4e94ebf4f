//! The lab: boots real Debian kernels in QEMU and runs scenarios in them, in virtual time that is the instruction
//! count, so that a result is the same on every host.

mod apt;
mod cache;
mod clock;
mod console;
mod digest;
mod durable;
mod frame;
pub mod guest;
mod initramfs;
pub mod kernels;
mod lab;
mod machine;
mod order;
mod program;
mod programs;
pub mod qemu;
pub mod records;

pub use apt::AptError;
pub use cache::{Cache, CacheError};
pub use clock::Clock;
pub use frame::FrameError;
pub use initramfs::Initramfs;
pub use lab::{BOOT_LIMIT, CellOutcome, Lab, LabError};
pub use machine::MachineError;
pub use order::{Extras, Guest, Measured, Printed};
pub use program::{Program, ProgramError};
pub use programs::on_path;
