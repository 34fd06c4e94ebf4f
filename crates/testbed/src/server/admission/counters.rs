use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use crate::nanos::nanos;

/// A ticket held for longer than this is delinquent (`delinquentAcquisitionIntervalMillis`, MongoDB's default).
const DELINQUENT: Duration = Duration::from_millis(30);
/// Waits of at least 2^0 to 2^31 us, the last one with all beyond it: more than half an hour.
const BUCKETS: usize = 32;

/// What happens to the tickets of a pool.
#[derive(Debug, Default)]
pub(super) struct Counters {
    queued: AtomicU64,
    admitted: AtomicU64,
    queued_ns: AtomicU64,
    waits: [AtomicU64; BUCKETS],
    started: AtomicU64,
    finished: AtomicU64,
    held_ns: AtomicU64,
    delinquent: AtomicU64,
    delinquent_ns: AtomicU64,
    longest_delinquent_ns: AtomicU64,
}

/// A reading of a pool's counters. All of them only grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolCounts {
    /// Threads that found no free ticket.
    pub queued: u64,
    /// Those of them that have got one.
    pub admitted: u64,
    /// Time that these waited.
    pub queued_time: Duration,
    /// The same one by one: pairs of a time in us and how often a wait was at least as long, and less than twice as
    /// long. Only those that occurred.
    pub waits: Vec<(u64, u64)>,
    /// Tickets taken.
    pub started: u64,
    /// Tickets given back.
    pub finished: u64,
    /// Time for which these were held.
    pub held: Duration,
    /// Those of them that were held for longer than 30 ms.
    pub delinquent: u64,
    /// By how much, all together.
    pub delinquent_time: Duration,
    /// By how much at most.
    pub longest_delinquent: Duration,
}

impl Counters {
    pub(super) fn count_queued(&self) {
        self.queued.fetch_add(1, Relaxed);
    }

    pub(super) fn count_admitted(&self, after: Duration) {
        self.admitted.fetch_add(1, Relaxed);
        self.queued_ns.fetch_add(nanos(after), Relaxed);
        let us = nanos(after) / 1000;
        let bucket = us.checked_ilog2().map_or(0, |log| log as usize).min(BUCKETS - 1);
        if let Some(waits) = self.waits.get(bucket) {
            waits.fetch_add(1, Relaxed);
        }
    }

    pub(super) fn count_started(&self) {
        self.started.fetch_add(1, Relaxed);
    }

    pub(super) fn count_finished(&self, held: Duration) {
        self.finished.fetch_add(1, Relaxed);
        self.held_ns.fetch_add(nanos(held), Relaxed);
        let beyond = held.saturating_sub(DELINQUENT);
        if !beyond.is_zero() {
            self.delinquent.fetch_add(1, Relaxed);
            self.delinquent_ns.fetch_add(nanos(beyond), Relaxed);
            self.longest_delinquent_ns.fetch_max(nanos(beyond), Relaxed);
        }
    }

    pub(super) fn finished(&self) -> u64 {
        self.finished.load(Relaxed)
    }

    pub(super) fn counts(&self) -> PoolCounts {
        let time = |ns: &AtomicU64| Duration::from_nanos(ns.load(Relaxed));
        let waits = (0_u32..).zip(&self.waits);
        PoolCounts {
            // Before those that they were, so that no reading has more of the latter.
            admitted: self.admitted.load(Relaxed),
            queued: self.queued.load(Relaxed),
            queued_time: time(&self.queued_ns),
            waits: waits
                .map(|(log, count)| (1_u64 << log, count.load(Relaxed)))
                .filter(|(_, count)| *count > 0)
                .collect(),
            finished: self.finished(),
            started: self.started.load(Relaxed),
            held: time(&self.held_ns),
            delinquent: self.delinquent.load(Relaxed),
            delinquent_time: time(&self.delinquent_ns),
            longest_delinquent: time(&self.longest_delinquent_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_counted_by_length() {
        let counters = Counters::default();
        for us in [0, 1, 2, 3, 4, 1000, u64::MAX / 1000] {
            counters.count_queued();
            counters.count_admitted(Duration::from_micros(us));
        }
        let counts = counters.counts();
        assert_eq!((counts.queued, counts.admitted), (7, 7));
        assert_eq!(counts.waits, [(1, 2), (2, 2), (4, 1), (512, 1), (1 << 31, 1)]);
    }

    #[test]
    fn tickets_held_too_long_are_delinquent() {
        let counters = Counters::default();
        for ms in [30, 31, 50] {
            counters.count_started();
            counters.count_finished(Duration::from_millis(ms));
        }
        let counts = counters.counts();
        assert_eq!((counts.started, counts.finished), (3, 3));
        assert_eq!(counts.held, Duration::from_millis(111));
        assert_eq!(
            (counts.delinquent, counts.delinquent_time),
            (2, Duration::from_millis(21))
        );
        assert_eq!(counts.longest_delinquent, Duration::from_millis(20));
    }
}
