use std::{collections::BTreeMap, time::Duration};

use bson::Document;
use scenario::{Operation, OperationOutcome};
use serde::{Deserialize, Serialize};

use super::extended_json;

/// What a load run measured. Latencies count from the send, in an open loop from the arrival, to the whole reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadOutcome {
    /// Length of the measured part, in seconds; shorter than planned if the run was stopped.
    pub seconds: f64,
    /// Operations that completed without error in the measured part; one that did not occur is absent.
    pub operations: BTreeMap<Operation, OperationOutcome>,
    /// Operations that completed without error in the measured part, per second of it.
    pub throughput_ops: f64,
    /// Operations that the server answered with an error in the measured part, plus connections that broke or never
    /// got their reply at any time after all were open.
    pub errors: u64,
    /// The first thing that went wrong, warm-up included, in one sentence.
    pub first_error: Option<String>,
    /// CPU time of the client's process in the measured part.
    pub cpu: Duration,
    /// Requests that were sent on the load connections within the measured part, whether or not the reply came
    /// within it. The control connection's are not among them.
    pub requests: u64,
    /// Open loop only: arrivals due before the end that found no free connection until then, estimated from the
    /// first of them and the rate. Their wait is in no latency: a number above 0 says that the server, or the
    /// client, does not keep up.
    pub unsent: u64,
    /// `serverStatus` at both ends of the measured part; none if the server has no such command.
    pub status: Option<StatusPair>,
    /// Whether the measured part ran to its planned end.
    pub complete: bool,
}

impl LoadOutcome {
    /// Operations that completed without error in the measured part.
    #[must_use]
    pub fn operation_count(&self) -> u64 {
        self.operations.values().map(|operation| operation.count).sum()
    }
}

/// Two replies to `serverStatus`. In JSON they are MongoDB Extended JSON v2, canonical, which keeps number types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatusPair {
    /// Asked for and received before the first recorded operation.
    #[serde(with = "extended_json")]
    pub before: Document,
    /// Asked for right after the end of the measured part, while its last operations may be still under way.
    #[serde(with = "extended_json")]
    pub after: Document,
}
