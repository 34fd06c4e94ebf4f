//! Off-CPU attribution: why a server's threads were off the CPU, and who ran instead, from the events of the kernel's
//! scheduler.
//!
//! Nothing of it is in the server. A [`Recorder`] has the kernel write down every context switch and every call that
//! may block, and [`Attribution`] reads that as text, line by line. `sched_switch` alone would not do: a thread that
//! yields and one that is preempted both stay runnable, so only the system call that it is in tells them apart.

mod attribution;
mod calls;
mod line;
mod recorder;
mod threads;
mod tracked;

pub use attribution::Attribution;
pub use line::{Event, Line, Task, What, parse};
pub use recorder::{Recorder, TraceError};
pub use threads::Threads;
