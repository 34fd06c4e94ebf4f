use serde::{Serialize, Serializer};

use super::bootstrap::{interval_of_mean, mean};

/// How a cell's metric relates to that of its reference, over the rounds that both finished.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ratio {
    /// Geometric mean of the rounds' ratios: 1 is no change, 2 is twice the reference.
    #[serde(serialize_with = "rounded")]
    pub ratio: f64,
    /// Lower end of the 95 % confidence interval; none with a single round.
    #[serde(serialize_with = "rounded_end")]
    pub low: Option<f64>,
    /// Upper end of the 95 % confidence interval; none with a single round.
    #[serde(serialize_with = "rounded_end")]
    pub high: Option<f64>,
    /// Whether there is an interval and 1 lies outside.
    pub significant: bool,
    /// Rounds that the ratio rests on.
    pub rounds: usize,
}

impl Ratio {
    /// The ratio of pairs (value, reference), one pair per round.
    ///
    /// Rounds in which either is zero or not finite have no ratio and are left out; none if no round remains.
    pub(crate) fn of_rounds(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let logs: Vec<f64> = pairs
            .into_iter()
            .map(|(value, reference)| value.ln() - reference.ln())
            .filter(|log| log.is_finite())
            .collect();
        if logs.is_empty() {
            return None;
        }
        let estimate = mean(logs.iter().copied(), logs.len());
        let interval = interval_of_mean(&logs).map(|(low, high)| (finite_exp(low), finite_exp(high)));
        Some(Self {
            ratio: finite_exp(estimate),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            significant: interval.is_some_and(|(low, high)| 1.0 < low || high < 1.0),
            rounds: logs.len(),
        })
    }
}

/// Two rounds that differ wildly have an interval that no `f64` can hold once it is widened.
fn finite_exp(log: f64) -> f64 {
    log.exp().min(f64::MAX)
}

/// Seven digits in JSON: more than any interval is worth, and few enough that all C libraries, whose logarithms
/// differ in the last ones, agree on them.
fn seven_digits(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(seven_digits(*value))
}

#[expect(clippy::ref_option, reason = "serde passes references")]
fn rounded_end<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(seven_digits).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::statistics::random::SplitMix64;

    /// A standard normal number, by Box and Muller's method.
    fn normal(random: &mut SplitMix64) -> f64 {
        let mut uniform = || ((random.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let (a, b) = (uniform(), uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// How often the interval covers the true ratio over `draws` comparisons of `rounds` rounds, where each side
    /// has log-normal noise of its own and each round a drift that both sides share.
    fn coverage(rounds: usize, draws: u32, seed: u64) -> f64 {
        const TRUTH: f64 = 1.3;
        let mut random = SplitMix64::new(seed);
        let covered = (0..draws)
            .filter(|_| {
                let pairs: Vec<(f64, f64)> = (0..rounds)
                    .map(|_| {
                        let drift = normal(&mut random);
                        let value = TRUTH * (drift + 0.2 * normal(&mut random)).exp();
                        let reference = (drift + 0.1 * normal(&mut random)).exp();
                        (value, reference)
                    })
                    .collect();
                let ratio = Ratio::of_rounds(pairs).unwrap();
                ratio.low.unwrap() <= TRUTH && TRUTH <= ratio.high.unwrap()
            })
            .count();
        covered as f64 / f64::from(draws)
    }

    #[test]
    fn intervals_cover_the_truth() {
        for (rounds, seed) in [(3, 11), (5, 12), (10, 13)] {
            let coverage = coverage(rounds, 3000, seed);
            println!("{rounds} rounds: {coverage:.4}");
            assert!(coverage >= 0.93, "{rounds} rounds: {coverage}");
            // An interval that covers always tells nothing.
            assert!(coverage <= 0.98, "{rounds} rounds: {coverage}");
        }
    }

    #[test]
    fn one_round_has_a_ratio_and_no_interval() {
        let ratio = Ratio::of_rounds([(3.0, 2.0)]).unwrap();
        assert!((ratio.ratio - 1.5).abs() < 1e-12);
        assert_eq!((ratio.low, ratio.high, ratio.significant), (None, None, false));
    }

    #[test]
    fn rounds_without_a_ratio_are_left_out() {
        let unusable = [
            (0.0, 1.0),
            (1.0, 0.0),
            (f64::NAN, 1.0),
            (f64::INFINITY, 1.0),
            (-1.0, 1.0),
        ];
        assert_eq!(Ratio::of_rounds(unusable), None);
        let ratio = Ratio::of_rounds(unusable.into_iter().chain([(4.0, 2.0)])).unwrap();
        assert_eq!(ratio.rounds, 1);
    }

    #[test]
    fn wild_rounds_stay_finite() {
        let ratio = Ratio::of_rounds([(f64::MAX, 1e-300), (1e-300, f64::MAX)]).unwrap();
        for value in [Some(ratio.ratio), ratio.low, ratio.high] {
            assert!(value.unwrap().is_finite());
        }
    }

    #[test]
    fn json_has_seven_digits() {
        let ratio = Ratio::of_rounds([(2.0, 3.0)]).unwrap();
        let json = serde_json::to_value(ratio).unwrap();
        assert_eq!(json["ratio"].to_string(), "0.6666667");
        assert!(json["low"].is_null());
        assert!(seven_digits(f64::MAX).is_finite());
    }

    fn rounds() -> impl Strategy<Value = Vec<(f64, f64)>> {
        prop::collection::vec((0.01..1e6, 0.01..1e6), 2..8)
    }

    fn close(a: f64, b: f64) -> bool {
        (a.ln() - b.ln()).abs() < 1e-6
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn against_itself_nothing_changes(rounds in rounds()) {
            let ratio = Ratio::of_rounds(rounds.into_iter().map(|(value, _)| (value, value))).unwrap();
            prop_assert_eq!(ratio.ratio.to_bits(), 1.0_f64.to_bits());
            prop_assert!(!ratio.significant);
        }

        #[test]
        fn units_do_not_matter(rounds in rounds(), unit in 0.001..1e3) {
            let one = Ratio::of_rounds(rounds.iter().copied()).unwrap();
            let other = Ratio::of_rounds(rounds.iter().map(|(a, b)| (a * unit, b * unit))).unwrap();
            prop_assert!(close(one.ratio, other.ratio));
            prop_assert!(close(one.low.unwrap(), other.low.unwrap()));
            prop_assert!(close(one.high.unwrap(), other.high.unwrap()));
        }

        #[test]
        fn swapping_the_sides_inverts(rounds in rounds()) {
            let one = Ratio::of_rounds(rounds.iter().copied()).unwrap();
            let other = Ratio::of_rounds(rounds.iter().map(|&(a, b)| (b, a))).unwrap();
            prop_assert!(close(one.ratio, 1.0 / other.ratio));
            prop_assert!(close(one.low.unwrap(), 1.0 / other.high.unwrap()));
            prop_assert!(close(one.high.unwrap(), 1.0 / other.low.unwrap()));
            prop_assert_eq!(one.significant, other.significant);
        }

        #[test]
        fn the_ratio_lies_within_its_interval(rounds in rounds()) {
            let ratio = Ratio::of_rounds(rounds).unwrap();
            prop_assert!(ratio.low.unwrap() <= ratio.ratio && ratio.ratio <= ratio.high.unwrap());
        }
    }
}
