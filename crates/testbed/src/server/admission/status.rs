use scenario::Tick;
use serde::{Deserialize, Serialize};

use super::{Pools, log::Log};
use crate::nanos::nanos;

/// What the outcome of a run is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionStatus {
    /// Tickets of the pool for reads, free or not.
    pub read_tickets: u32,
    /// Tickets of the pool for writes, free or not.
    pub write_tickets: u32,
    /// Time for which writes have held the tickets that they have given back, in ns. Only grows.
    pub write_held_nanos: u64,
    /// The controller's last ticks, in order, with their time since the server's start.
    pub ticks: Vec<Tick>,
}

impl AdmissionStatus {
    pub(super) fn of(pools: &Pools, log: &Log) -> Self {
        Self {
            read_tickets: pools.read.total(),
            write_tickets: pools.write.total(),
            write_held_nanos: nanos(pools.write.counts().held),
            ticks: log.ticks().collect(),
        }
    }
}
