//! The native backend: runs the server and the client as two processes on this host, on CPUs of their own where there
//! are enough.

mod backend;
mod child;
mod cpu_list;
mod host;
mod measure;
mod parent;
mod realtime;
mod split;
mod tracing;
mod tunables;

pub use backend::{CheckError, Measured, Native, NativeError};
pub use cpu_list::{CpuList, CpuListError};
pub use host::host;
pub use parent::end_with_parent;
pub use realtime::{RealtimeError, run_as_fifo};
pub use split::{CpuSplit, SplitError};
pub use tunables::{Tunables, TunablesError};
