use std::{net::SocketAddr, time::Duration};

use scenario::Mix;

use super::error::LoadError;
use crate::nanos::nanos;

/// The database that YCSB uses.
pub const DEFAULT_DATABASE: &str = "ycsb";
/// The collection that YCSB uses: the `table` of its core workloads.
pub const DEFAULT_COLLECTION: &str = "usertable";

/// Everything that decides the load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadPlan {
    /// The server.
    pub address: SocketAddr,
    /// The database, [`DEFAULT_DATABASE`] by convention.
    pub database: String,
    /// The collection, [`DEFAULT_COLLECTION`] by convention.
    pub collection: String,
    /// Open connections, at least one.
    pub connections: u32,
    /// Event-driven threads that share the connections, at least one; never more than there are connections.
    pub threads: u32,
    /// Pause of a connection between a reply and its next request (closed loop only).
    pub think: Duration,
    /// Above 0: open loop at this rate, in operations per second over all threads. 0: closed loop.
    pub rate_ops: u64,
    /// The operations. Those of a shop go to collections of their own, not to `collection`.
    pub mix: Mix,
    /// Documents in the collection, products and carts in a shop, at least one.
    pub records: u64,
    /// Load before the measured part; nothing of it is recorded.
    pub warmup: Duration,
    /// Length of the measured part.
    pub measured: Duration,
    /// Seed of all random choices. One seed gives each connection the same operations in every run.
    pub seed: u64,
    /// Whether to make sure first that the collection holds `records` documents, see [`run()`](super::run()).
    pub load_phase: bool,
}

impl LoadPlan {
    /// See [`worker_threads`].
    pub(super) fn worker_threads(&self) -> u32 {
        worker_threads(self.connections, self.threads)
    }

    /// How long the first requests are spread over, in ns, so that connections do not run in step.
    ///
    /// The think time, for then each connection is met as far along its cycle as in the steady state; a millisecond
    /// at least, so that a closed loop without think time does not start as one burst.
    pub(super) fn stagger_ns(&self) -> u64 {
        nanos(self.think).max(1_000_000)
    }

    /// # Errors
    /// Says what the plan lacks.
    pub(super) fn check(&self) -> Result<(), LoadError> {
        match (self.connections, self.records, self.mix) {
            (0, ..) => Err(LoadError::Plan("it has no connections")),
            (_, 0, _) => Err(LoadError::Plan("it has no records to read or update")),
            (_, _, Mix::Ycsb { read_percent: 101.. }) => {
                Err(LoadError::Plan("its share of reads is above 100 %"))
            }
            _ => Ok(()),
        }
    }
}

/// Threads that a load needs: of `threads`, those that get at least one connection each.
pub(super) fn worker_threads(connections: u32, threads: u32) -> u32 {
    threads.clamp(1, connections.max(1))
}
