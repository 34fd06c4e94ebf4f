use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{admission::AdmissionOutcome, choices::choices, off_cpu::OffCpu};

choices! {
    /// An operation of a workload.
    Operation: "operation" {
        /// Read one document by `_id`.
        Read = "read",
        /// Set one field of one document by `_id`.
        Update = "update",
        /// Read a product by `_id`.
        FindOneProduct = "FindOneProduct",
        /// Read up to 20 products of a category, by an index.
        ListByCategory = "ListByCategory",
        /// Read a visitor's cart by `_id`.
        GetCart = "GetCart",
        /// Put a product into a cart: one update.
        AddToCart = "AddToCart",
        /// Write an order, take the product from the stock, empty the cart: an insert and two updates.
        PlaceOrder = "PlaceOrder",
    }
}

/// What one run of one scenario, workload and variant measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Length of the measured part.
    pub seconds: f64,
    /// Operations that completed in the measured part, per second.
    pub throughput_ops: f64,
    /// Latency per operation; an operation that did not occur is absent.
    pub operations: BTreeMap<Operation, OperationOutcome>,
    /// What the yield points cost.
    pub yields: Yields,
    /// What the background threads did.
    pub background: Background,
    /// Context switches of the connection threads.
    pub context_switches: ContextSwitches,
    /// CPU time of both halves.
    pub cpu: CpuUse,
    /// What admission control did, if there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admission: Option<AdmissionOutcome>,
    /// Operations that failed.
    pub errors: u64,
    /// Where the server's threads were while they were off the CPU, if the run was traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_cpu: Option<OffCpu>,
    /// Of a deterministic backend: a checksum over everything that was counted and measured. Runs with the same are the same.
    pub digest: Option<String>,
    /// What the reader must know about this run, one sentence each: a slice that was refused, CPUs that were shared.
    pub notes: Vec<String>,
}

/// Latency of one operation, from its (intended) send time to its reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OperationOutcome {
    /// Operations that completed.
    pub count: u64,
    /// Mean latency.
    pub mean_us: f64,
    /// Median latency.
    pub p50_us: f64,
    /// 90th percentile.
    pub p90_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// 99.9th percentile.
    pub p999_us: f64,
    /// Longest latency.
    pub max_us: f64,
    /// The whole distribution.
    pub distribution: Distribution,
}

/// Counts per latency bucket, in rising order of latency: pairs of the bucket's upper end in us and its count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Distribution(pub Vec<(f64, u64)>);

/// What the yield points cost, over all connection threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Yields {
    /// Times a thread gave up its CPU at a yield point, per operation.
    pub calls_per_op: f64,
    /// Those of them after which another thread had run, per operation.
    pub switched_per_op: f64,
    /// Mean time inside one call.
    pub mean_us: f64,
    /// Median time inside one call.
    pub p50_us: f64,
    /// 99th percentile of the time inside one call.
    pub p99_us: f64,
    /// Times a thread parked instead, per operation.
    pub parks_per_op: f64,
    /// Time parked, as a share of the connection threads' total time.
    pub park_share: f64,
    /// Time off the CPU inside yield points, parks included, as a share of the connection threads' total time.
    pub off_cpu_share: f64,
}

/// What the background threads did in the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Background {
    /// CPU time of the background threads as a share of the server's CPUs.
    pub cpu_share: f64,
    /// Work that was left undone at the end.
    pub undone_us: f64,
    /// Work that updates did themselves because too much was left behind.
    pub done_by_updates_us: f64,
}

/// Context switches of the connection threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContextSwitches {
    /// The thread blocked.
    pub voluntary_per_op: f64,
    /// The thread was preempted, or yielded to another.
    pub involuntary_per_op: f64,
}

/// CPU time of both halves, per operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuUse {
    /// The server's process.
    pub server_us_per_op: f64,
    /// The client's process.
    pub client_us_per_op: f64,
    /// The server's CPU time as a share of the CPUs that it may use.
    pub server_share: f64,
}
