use std::{collections::BTreeMap, time::Duration};

use bson::Document;
use scenario::{Operation, OperationOutcome};
use serde::{Deserialize, Serialize};

use super::{extended_json, latency_hash};

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
    /// All requests that the client sent and had answered, from its first connection to its last `serverStatus`.
    pub commands: Commands,
    /// Stands for every operation recorded in the measured part: which it was and its latency to the nanosecond, in the
    /// order of the replies on each thread of the client, over the threads in their order. Two runs with equal hashes
    /// had the same latencies in the same order. On a clock that nobody controls no two runs have; in a virtual machine
    /// whose time is a function of its inputs it is a digest of the run. In JSON 16 hexadecimal digits.
    #[serde(with = "latency_hash::hex")]
    pub latency_hash: u64,
    /// `serverStatus` at both ends of the measured part and at the end of all; none if the server has no such command or
    /// stopped answering.
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

    /// What went wrong in one sentence, if anything did.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        let (done, failed) = (self.operation_count(), self.errors);
        let what = match (done, failed, &self.first_error) {
            (0, 0, None) => return Some("no operation completed".to_owned()),
            (0, 0, Some(_)) => "no operation completed".to_owned(),
            (0, ..) => format!("no operation completed, {failed} failed"),
            (_, 0, None) => return None,
            (_, 0, Some(_)) => "operations failed outside the measured part".to_owned(),
            (..) => format!("{failed} of {} operations failed", done + failed),
        };
        let first = self.first_error.as_deref().unwrap_or("not known");
        Some(format!("{what}; first error: {first}"))
    }
}

/// Requests that the client sent and had answered, well or with an error, by when the reply came.
///
/// A server that nobody else uses, and that loses none of its connections, has decoded exactly
/// [`total`](Self::total) requests when it writes [`StatusPair::end`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    /// What is no operation of the load, on all connections: handshakes, the load phase, and every `serverStatus`, the
    /// last one included.
    pub control: u64,
    /// Operations before the measured part.
    pub warmup: u64,
    /// Operations in the measured part, also those that failed.
    pub measured: u64,
    /// Operations that were still under way at its end.
    pub drained: u64,
}

impl Commands {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.control + self.warmup + self.measured + self.drained
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.control += other.control;
        self.warmup += other.warmup;
        self.measured += other.measured;
        self.drained += other.drained;
    }
}

/// Replies to `serverStatus`, all of them written while every load connection was open. In JSON they are MongoDB Extended JSON v2, canonical, which keeps number types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatusPair {
    /// Asked for and received before the first recorded operation.
    #[serde(with = "extended_json")]
    pub before: Document,
    /// Asked for right after the end of the measured part, while its last operations may be still under way.
    #[serde(with = "extended_json")]
    pub after: Document,
    /// Asked for when nothing was under way any more.
    #[serde(with = "extended_json")]
    pub end: Document,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_tells_how_much_of_it_there_was() {
        let trouble = |done, errors, first_error: Option<&str>| {
            let read = OperationOutcome {
                count: done,
                ..OperationOutcome::default()
            };
            let outcome = LoadOutcome {
                operations: BTreeMap::from([(Operation::Read, read)]),
                errors,
                first_error: first_error.map(str::to_owned),
                ..LoadOutcome::default()
            };
            outcome.trouble().unwrap_or_default()
        };
        assert_eq!(trouble(9, 0, None), "");
        assert_eq!(trouble(0, 0, None), "no operation completed");
        assert_eq!(
            trouble(0, 7, Some("full")),
            "no operation completed, 7 failed; first error: full"
        );
        assert_eq!(
            trouble(9, 1, Some("full")),
            "1 of 10 operations failed; first error: full"
        );
        assert_eq!(
            trouble(9, 0, Some("full")),
            "operations failed outside the measured part; first error: full"
        );
    }
}
