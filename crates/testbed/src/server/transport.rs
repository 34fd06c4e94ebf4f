//! Connections: one thread each, and the loop that every one of them runs.

mod counters;
mod executor;
mod listener;
mod session;
mod thread_count;

pub use counters::{TransportCounts, YieldPointCounts};
pub use executor::{ExecutorPlan, ServiceExecutor, Worker, YieldPoint};
pub use listener::{ListenError, Listener};
pub use session::{SessionWorkflow, State};
