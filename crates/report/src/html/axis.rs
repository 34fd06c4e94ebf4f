//! Where a value lies on an axis, and which values are labelled.

/// A linear map from values to pixels. Logarithmic axes take the logarithm before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Maps `low` to pixel `from` and `high` to pixel `to`. An empty range is widened, so that the map exists.
    pub(super) fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, from, to }
    }

    /// Whether the axis reaches to `value`.
    pub(super) fn holds(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The pixel of `value`, which is moved to the end of the axis if it lies outside.
    pub(super) fn at(self, value: f64) -> f64 {
        let share = (value.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }
}

/// What an axis can show. No measured value lies outside; a wrong one must not make an axis of endless steps.
const SHOWN: std::ops::RangeInclusive<f64> = 1e-6..=1e15;

/// The steps 1, 2 and 5 of each decade that lie around `low` to `high`, so that the first is at most `low` and the
/// last at least `high`.
pub(super) fn log_steps(low: f64, high: f64) -> Vec<f64> {
    let [low, high] = [low, high].map(shown);
    let mut steps = Vec::new();
    let mut decade = 10_f64.powf(low.log10().floor());
    loop {
        for step in [1.0, 2.0, 5.0].map(|digit| digit * decade) {
            // The step before `low` is only known once the next one is past it.
            if step <= low {
                steps.clear();
            }
            steps.push(step);
            if step >= high {
                return steps;
            }
        }
        decade *= 10.0;
    }
}

/// Round values from 0 up to at most `high`, a handful of them.
pub(super) fn linear_steps(high: f64) -> Vec<f64> {
    const AT_MOST: f64 = 5.0;
    let high = shown(high);
    let step = log_steps(high / AT_MOST / 5.0, high / AT_MOST)
        .last()
        .copied()
        .unwrap_or(high);
    let mut steps = Vec::new();
    let mut at = 0.0;
    while at <= high * (1.0 + 1e-9) {
        steps.push(at);
        at += step;
    }
    steps
}

/// The closest value that an axis can show.
pub(super) fn shown(value: f64) -> f64 {
    value.clamp(*SHOWN.start(), *SHOWN.end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn steps_enclose_the_range() {
        assert_eq!(log_steps(30.0, 700.0), [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]);
        assert_eq!(log_steps(10.0, 10.0), [10.0]);
        assert_eq!(linear_steps(4400.0), [0.0, 1000.0, 2000.0, 3000.0, 4000.0]);
    }

    #[test]
    fn absurd_ranges_have_an_end() {
        for value in [0.0, f64::MIN_POSITIVE, f64::MAX] {
            assert!(linear_steps(value).len() < 10);
            assert!(log_steps(value, value).len() < 10);
        }
        assert!(log_steps(0.0, f64::MAX).len() < 100);
    }

    proptest! {
        #[test]
        fn log_steps_are_tight(low in 1e-2..1e7, factor in 1.0..1e5) {
            let high = low * factor;
            let steps = log_steps(low, high);
            prop_assert!(steps[0] <= low && low < steps[0] * 2.6);
            let last = steps[steps.len() - 1];
            prop_assert!(high <= last && last < high * 2.6);
        }

        #[test]
        fn linear_steps_are_few(high in 1e-3..1e9) {
            let steps = linear_steps(high);
            prop_assert!((3..=6).contains(&steps.len()), "{steps:?}");
        }

        #[test]
        fn an_axis_stays_within_its_pixels(low in -1e6..1e6, span in 0.0..1e6, value in -1e9..1e9) {
            let pixel = Axis::new((low, low + span), (10.0, 470.0)).at(value);
            prop_assert!((10.0..=470.0).contains(&pixel));
        }
    }
}
