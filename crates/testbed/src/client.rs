//! The load client: YCSB core workloads and those of a shop over OP_MSG, against the testbed's server or any MongoDB.
//!
//! One or few event-driven threads hold all connections. Each connection has at most one request under way, as a
//! thread with a driver would. In the closed loop a connection pauses for the think time between a reply and its
//! next request; in the open loop requests arrive at a set rate, whether or not the server keeps up, and latency
//! counts from the arrival.
//!
//! The way of a run, see [`run()`]: count or insert the documents, open the connections, warm up, fetch
//! `serverStatus`, measure, fetch `serverStatus` again, wait for what is still under way, fetch it once more, and only
//! then close the connections.

mod clock;
mod commands;
mod conductor;
mod connection;
mod content;
mod control;
mod distribution;
mod ecommerce;
mod error;
mod event_loop;
mod extended_json;
#[cfg(test)]
mod fake_server;
mod latency_hash;
mod limits;
mod load;
mod opening;
mod outcome;
mod plan;
mod progress;
mod recorder;
mod reply;
mod run;
mod schedule;
mod template;
#[cfg(test)]
mod tests;
mod timer;
mod traffic;
mod uri;
mod window;
mod worker;
mod ycsb;

pub use error::LoadError;
pub use outcome::{Commands, LoadOutcome, StatusPair};
pub use plan::{DEFAULT_COLLECTION, DEFAULT_DATABASE, LoadPlan};
pub use progress::Progress;
pub(crate) use run::files_needed;
pub use run::run;
pub use uri::{Target, parse_uri};
