//! The histogram of a live session: one writer, any number of readers.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Histogram;
use super::bucket::{BUCKETS, index_of};
use crate::counters::advance;

/// Same buckets as [`Histogram`], as atomics.
#[derive(Debug)]
pub(crate) struct SharedHistogram {
    counts: Box<[AtomicU64; BUCKETS]>,
}

impl SharedHistogram {
    /// Adds one value. For the owning session only, like [`Counters::record`](crate::counters::Counters).
    pub(crate) fn record(&self, ns: u64) {
        if let Some(count) = self.counts.get(index_of(ns)) {
            advance(count, 1);
        }
    }

    /// Adds the values so far to `total`.
    pub(crate) fn add_to(&self, total: &mut Histogram) {
        for (sum, count) in total.counts.iter_mut().zip(self.counts.iter()) {
            *sum += count.load(Relaxed);
        }
    }
}

impl Default for SharedHistogram {
    fn default() -> Self {
        Self {
            counts: Box::new([const { AtomicU64::new(0) }; BUCKETS]),
        }
    }
}
