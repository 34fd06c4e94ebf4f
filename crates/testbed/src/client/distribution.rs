//! The whole distribution of latencies in less than 200 buckets, whatever it looks like.

use hdrhistogram::Histogram;
use scenario::Distribution;

/// All latencies below this share the first bucket, in ns: none that goes through a socket is shorter.
const FIRST_BUCKET_NS: u64 = 1 << 12;
/// Buckets per doubling of the latency beyond that, as a power of two: each is at most 12.5 % wide.
const BUCKETS_PER_OCTAVE_LOG2: u32 = 3;

/// The counts of `histogram`, whose values are in ns.
pub(super) fn distribution(histogram: &Histogram<u64>) -> Distribution {
    let mut buckets: Vec<(f64, u64)> = Vec::new();
    for value in histogram.iter_recorded() {
        let end_us = bucket_end_ns(value.value_iterated_to()) as f64 / 1e3;
        let count = value.count_since_last_iteration();
        match buckets.last_mut() {
            Some((last_end_us, counted)) if end_us <= *last_end_us => *counted += count,
            _ => buckets.push((end_us, count)),
        }
    }
    Distribution(buckets)
}

/// The end of the bucket that `value_ns` falls in; the end itself belongs to the next one.
fn bucket_end_ns(value_ns: u64) -> u64 {
    if value_ns < FIRST_BUCKET_NS {
        return FIRST_BUCKET_NS;
    }
    let width = 1 << (value_ns.ilog2() - BUCKETS_PER_OCTAVE_LOG2);
    (value_ns / width + 1) * width
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::client::recorder::{LONGEST_NS, empty_histogram};

    #[test]
    fn there_are_less_than_two_hundred_buckets() {
        let mut histogram = empty_histogram();
        let mut value = 1;
        while value < LONGEST_NS {
            histogram.saturating_record(value);
            value += value / 100 + 1;
        }
        histogram.saturating_record(u64::MAX);
        let Distribution(buckets) = distribution(&histogram);
        assert!((100..200).contains(&buckets.len()), "{}", buckets.len());
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_every_end_is_close(values in prop::collection::vec(1..LONGEST_NS, 1..50)) {
            let mut histogram = empty_histogram();
            for &value in &values {
                histogram.saturating_record(value);
            }
            let Distribution(buckets) = distribution(&histogram);
            prop_assert_eq!(buckets.iter().map(|(_, count)| count).sum::<u64>(), values.len() as u64);
            prop_assert!(buckets.windows(2).all(|pair| pair[0].0 < pair[1].0));
            let max_us = *values.iter().max().unwrap() as f64 / 1e3;
            let last_us = buckets.last().unwrap().0;
            prop_assert!(max_us <= last_us && last_us <= (max_us * 1.13).max(4.1), "{} {}", max_us, last_us);
        }
    }
}
