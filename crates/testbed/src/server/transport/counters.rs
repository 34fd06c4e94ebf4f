use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::executor::YieldPoint;
use crate::nanos::nanos;

/// Connection threads count in this many places, so that two of them seldom write one cache line.
const SHARDS: usize = 64;

/// What one shard's connection threads have counted.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Shard {
    before_receive: PointCounters,
    after_send: PointCounters,
    requests: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct PointCounters {
    reached: AtomicU64,
    skipped_by_guard: AtomicU64,
    calls: AtomicU64,
    switched: AtomicU64,
    inside_ns: AtomicU64,
}

/// All shards.
#[derive(Debug)]
pub(super) struct Counters {
    shards: Vec<Shard>,
    next: AtomicUsize,
}

/// What happened at one yield point, over all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct YieldPointCounts {
    /// Times a thread came to it, also while it was not in use.
    pub reached: u64,
    /// Times the guard found no more threads than cores.
    pub skipped_by_guard: u64,
    /// Times the policy gave up the CPU.
    pub calls: u64,
    /// Those of them after which another thread had run.
    pub switched: u64,
    /// Time inside those calls, in ns.
    pub inside_nanos: u64,
}

/// What the transport layer has done, over all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransportCounts {
    /// The yield point before receive.
    pub before_receive: YieldPointCounts,
    /// The yield point after send.
    pub after_send: YieldPointCounts,
    /// Requests decoded.
    pub requests: u64,
    /// Bytes of requests.
    pub bytes_in: u64,
    /// Bytes of replies.
    pub bytes_out: u64,
}

impl Counters {
    pub(super) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            next: AtomicUsize::default(),
        }
    }

    /// The shard for a new thread.
    pub(super) fn shard(&self) -> Option<&Shard> {
        self.shards
            .get(self.next.fetch_add(1, Ordering::Relaxed) % SHARDS)
    }

    pub(super) fn total(&self) -> TransportCounts {
        self.shards
            .iter()
            .fold(TransportCounts::default(), |total, shard| TransportCounts {
                before_receive: total.before_receive.plus(&shard.before_receive),
                after_send: total.after_send.plus(&shard.after_send),
                requests: total.requests + shard.requests.load(Ordering::Relaxed),
                bytes_in: total.bytes_in + shard.bytes_in.load(Ordering::Relaxed),
                bytes_out: total.bytes_out + shard.bytes_out.load(Ordering::Relaxed),
            })
    }
}

impl Shard {
    pub(super) fn point(&self, point: YieldPoint) -> &PointCounters {
        match point {
            YieldPoint::BeforeReceive => &self.before_receive,
            YieldPoint::AfterSend => &self.after_send,
        }
    }

    pub(super) fn count_request(&self, bytes: usize) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes_in.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn count_reply(&self, bytes: usize) {
        self.bytes_out.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl PointCounters {
    pub(super) fn count_reached(&self) {
        self.reached.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_skipped_by_guard(&self) {
        self.skipped_by_guard.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_call(&self, pause: &cede::Pause) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.switched
            .fetch_add(u64::from(pause.switched), Ordering::Relaxed);
        let inside = nanos(pause.inside);
        self.inside_ns.fetch_add(inside, Ordering::Relaxed);
    }
}

impl YieldPointCounts {
    fn plus(self, shard: &PointCounters) -> Self {
        Self {
            reached: self.reached + shard.reached.load(Ordering::Relaxed),
            skipped_by_guard: self.skipped_by_guard + shard.skipped_by_guard.load(Ordering::Relaxed),
            calls: self.calls + shard.calls.load(Ordering::Relaxed),
            switched: self.switched + shard.switched.load(Ordering::Relaxed),
            inside_nanos: self.inside_nanos + shard.inside_ns.load(Ordering::Relaxed),
        }
    }
}
