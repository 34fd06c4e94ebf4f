//! How long pauses took: a log-linear histogram of nanoseconds.

mod bucket;
mod shared;

use std::fmt;
use std::time::Duration;

pub use self::bucket::Bucket;
use self::bucket::{BUCKETS, index_of};

pub(crate) use self::shared::SharedHistogram;
use crate::nanos::nanos;

/// A distribution of durations.
///
/// Values from 128 ns to 34 s are kept within 1/32 (3.1 %), smaller ones within 4 ns; longer ones count as
/// 34 s.
///
/// ```
/// use std::time::Duration;
/// use cede::Histogram;
///
/// let mut pauses = Histogram::default();
/// for us in 1..=1000 {
///     pauses.record(Duration::from_micros(us));
/// }
/// let p99 = pauses.quantile(0.99).as_secs_f64();
/// assert!((p99 / 990e-6 - 1.0).abs() < 1.0 / 32.0);
///
/// // Over a wire and back:
/// assert_eq!(Histogram::from_buckets(pauses.buckets()), pauses);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64; BUCKETS]>,
}

impl Histogram {
    /// Adds one value.
    pub fn record(&mut self, value: Duration) {
        self.add(nanos(value), 1);
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts
            .iter()
            .fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// The mean, as far as the buckets tell it (the error bound is that of a single value); zero if there are
    /// no values.
    #[must_use]
    pub fn mean(&self) -> Duration {
        let sum: u128 = self
            .iter()
            .map(|bucket| u128::from(bucket.value_ns()) * u128::from(bucket.count))
            .sum();
        let mean = sum.checked_div(u128::from(self.count())).unwrap_or(0);
        Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// The value that the share `q` of all values does not exceed; `q` is brought into 0 to 1. Zero if there
    /// are no values.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Duration {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within 0 and the count; a NaN becomes 0"
        )]
        let rank = ((q.clamp(0.0, 1.0) * self.count() as f64).ceil() as u64).max(1);
        let mut seen = 0_u64;
        let bucket = self.iter().find(|bucket| {
            seen = bucket.count.saturating_add(seen);
            seen >= rank
        });
        Duration::from_nanos(bucket.map_or(0, |bucket| bucket.value_ns()))
    }

    /// The values recorded since `earlier`, an earlier state of the same histogram. Saturates at zero per
    /// bucket where it is not.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = self.clone();
        for (count, earlier) in difference.counts.iter_mut().zip(earlier.counts.iter()) {
            *count = count.saturating_sub(*earlier);
        }
        difference
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (count, other) in self.counts.iter_mut().zip(other.counts.iter()) {
            *count = count.saturating_add(*other);
        }
    }

    /// The buckets that hold values, from the shortest on.
    pub fn iter(&self) -> impl Iterator<Item = Bucket> + '_ {
        let all = self.counts.iter().enumerate();
        all.filter(|&(_, &count)| count > 0)
            .map(|(index, &count)| Bucket::new(index, count))
    }

    /// The same for transport: a value in nanoseconds that stands for its bucket, and the count.
    /// [`Histogram::from_buckets`] makes an equal histogram of it.
    #[must_use]
    pub fn buckets(&self) -> Vec<(u64, u64)> {
        self.iter()
            .map(|bucket| (bucket.value_ns(), bucket.count))
            .collect()
    }

    /// Builds a histogram of values in nanoseconds and how often each occurred, in any order.
    #[must_use]
    pub fn from_buckets(buckets: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut histogram = Self::default();
        for (value_ns, count) in buckets {
            histogram.add(value_ns, count);
        }
        histogram
    }

    fn add(&mut self, ns: u64, times: u64) {
        if let Some(count) = self.counts.get_mut(index_of(ns)) {
            *count = count.saturating_add(times);
        }
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: Box::new([0; BUCKETS]),
        }
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count())
            .field("mean", &self.mean())
            .field("p50", &self.quantile(0.5))
            .field("p99", &self.quantile(0.99))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Durations of every order of magnitude, up to the histogram's end at 2^35 ns.
    fn durations() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(
            (0_u32..35).prop_flat_map(|bits| 0..(2_u64 << bits).min(1 << 35)),
            1..200,
        )
    }

    fn of(values: &[u64]) -> Histogram {
        Histogram::from_buckets(values.iter().map(|&ns| (ns, 1)))
    }

    proptest! {
        #[test]
        fn quantiles_are_within_the_bound(mut values in durations(), q in 0.0..=1.0) {
            let got = of(&values).quantile(q).as_nanos() as f64;
            values.sort_unstable();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small rank")]
            let rank = (q * values.len() as f64).ceil().max(1.0) as usize;
            let exact = values[rank - 1] as f64;
            prop_assert!((got - exact).abs() <= (exact / 32.0).max(4.0), "{got} for {exact}");
        }

        #[test]
        fn the_mean_is_within_the_bound(values in durations()) {
            let exact = values.iter().map(|&ns| ns as f64).sum::<f64>() / values.len() as f64;
            let got = of(&values).mean().as_nanos() as f64;
            prop_assert!((got - exact).abs() <= exact / 32.0 + 4.0, "{got} for {exact}");
        }

        #[test]
        fn a_merge_is_taken_back_by_since(a in durations(), b in durations()) {
            let mut both = of(&a);
            both.merge(&of(&b));
            prop_assert_eq!(both.count(), (a.len() + b.len()) as u64);
            prop_assert_eq!(both.since(&of(&a)), of(&b));
        }

        #[test]
        fn transport_changes_nothing(values in durations()) {
            let sent = of(&values);
            prop_assert_eq!(Histogram::from_buckets(sent.buckets()), sent);
        }
    }

    #[test]
    fn without_values_there_is_nothing_to_tell() {
        let empty = Histogram::default();
        assert_eq!(empty.count(), 0);
        assert_eq!(empty.quantile(0.5), Duration::ZERO);
        assert_eq!(empty.mean(), Duration::ZERO);
        assert_eq!(empty.iter().count(), 0);
    }

    /// Counts may come over a wire, from anyone.
    #[test]
    fn absurd_counts_saturate() {
        let mut histogram = Histogram::from_buckets([(1_000, u64::MAX), (1_000, 1), (2_000, u64::MAX)]);
        histogram.merge(&histogram.clone());
        assert_eq!(histogram.count(), u64::MAX);
        assert!(histogram.quantile(1.0) < Duration::from_micros(3));
        assert!(histogram.mean() < Duration::from_micros(5));
    }

    #[test]
    fn a_pause_beyond_the_end_still_counts() {
        let mut histogram = Histogram::default();
        histogram.record(Duration::from_secs(3600));
        histogram.record(Duration::MAX);
        assert_eq!(histogram.count(), 2);
        assert!(histogram.quantile(1.0) > Duration::from_secs(33));
    }
}
