use super::{
    quantile::quantile,
    random::SplitMix64,
    student::{Z_975, t_975},
};

/// Resamples per interval: enough for the 2.5 % quantile to move less than the last digit that is printed.
const RESAMPLES: usize = 2000;
const SEED: u64 = 0x5eed;

/// A 95 % confidence interval for the mean that `sample` estimates; none of fewer than two values.
///
/// It is the bootstrap percentile interval (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993) with
/// its deviations from the estimate widened. On its own that interval is far too narrow for the handful of rounds
/// of a benchmark: resampling measures the spread around the sample's mean, which is too small by
/// `sqrt((n - 1) / n)`, and uses normal instead of Student quantiles in effect. The factor
/// `t / z * sqrt(n / (n - 1))` undoes both (Hesterberg, "What Teachers Should Know About the Bootstrap",
/// The American Statistician 69(4), 2015, on narrowness bias).
pub(super) fn interval_of_mean(sample: &[f64]) -> Option<(f64, f64)> {
    let n = sample.len();
    if n < 2 {
        return None;
    }
    let estimate = mean(sample.iter().copied(), n);
    let mut random = SplitMix64::new(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| mean((0..n).filter_map(|_| sample.get(random.below(n)).copied()), n))
        .collect();
    means.sort_by(f64::total_cmp);
    let widening = t_975(n - 1) / Z_975 * (n as f64 / (n as f64 - 1.0)).sqrt();
    let bound = |p| quantile(&means, p).map(|bound| estimate + (bound - estimate) * widening);
    Some((bound(0.025)?, bound(0.975)?))
}

/// The mean of `n` values.
pub(super) fn mean(values: impl Iterator<Item = f64>, n: usize) -> f64 {
    values.sum::<f64>() / n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_has_no_interval() {
        assert_eq!(interval_of_mean(&[]), None);
        assert_eq!(interval_of_mean(&[1.0]), None);
    }

    #[test]
    fn the_interval_is_the_same_every_time() {
        let sample = [1.0, 2.5, 2.0, 4.0];
        assert_eq!(interval_of_mean(&sample), interval_of_mean(&sample));
    }

    #[test]
    fn three_values_are_widened_past_their_own_range() {
        // With three values the percentile interval alone cannot leave the range of the sample.
        let (low, high) = interval_of_mean(&[-1.0, 0.0, 1.0]).unwrap();
        assert!(low < -2.5 && high > 2.5, "{low} {high}");
    }
}
