//! A thread-per-connection document server, the load client that drives it, and the native backend that pairs them.

pub mod client;
pub mod descriptors;
pub mod golden;
mod nanos;
pub mod native;
pub mod server;
pub mod spin;
mod start_gate;
pub mod trace;
pub mod wire;
