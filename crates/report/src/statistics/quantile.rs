/// The quantile `p` (0 to 1) of values that are sorted in rising order, by linear interpolation between order
/// statistics: type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician
/// 50(4), 1996. None of no values.
pub(super) fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = p.clamp(0.0, 1.0) * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the index of the last value"
    )]
    let below = position as usize;
    let lower = *sorted.get(below)?;
    let upper = *sorted.get((below + 1).min(last))?;
    Some(lower + (upper - lower) * (position - below as f64))
}

/// The median of the finite ones of `values`; 0 if there are none.
///
/// A run in which nothing completed has no value per operation, and division may have left NaN for it. Neither
/// a table nor JSON has a use for NaN.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut finite: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    finite.sort_by(f64::total_cmp);
    let middle = finite.len() / 2;
    let upper = finite.get(middle).copied();
    let lower = if finite.len().is_multiple_of(2) {
        middle.checked_sub(1).and_then(|below| finite.get(below).copied())
    } else {
        upper
    };
    match (lower, upper) {
        (Some(lower), Some(upper)) => f64::midpoint(lower, upper),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_median_leaves_out_what_is_not_a_number() {
        let cases: [(&[f64], f64); 5] = [
            (&[], 0.0),
            (&[f64::NAN], 0.0),
            (&[3.0, f64::INFINITY, 1.0], 2.0),
            (&[5.0, 1.0, 2.0], 2.0),
            (&[f64::MAX, f64::MAX], f64::MAX),
        ];
        for (values, expected) in cases {
            assert_eq!(
                median(values.iter().copied()).to_bits(),
                expected.to_bits(),
                "{values:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn quantiles_rise_with_p_and_stay_within_the_values(
            mut values in prop::collection::vec(-1e9..1e9, 1..40), a in 0.0..=1.0, b in 0.0..=1.0,
        ) {
            values.sort_by(f64::total_cmp);
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            let [low, high] = [low, high].map(|p| quantile(&values, p).unwrap());
            prop_assert!(low <= high);
            prop_assert!(values[0] <= low && high <= values[values.len() - 1]);
        }

        #[test]
        fn the_median_is_the_quantile_of_one_half(mut values in prop::collection::vec(-1e9..1e9, 1..40)) {
            let direct = median(values.iter().copied());
            values.sort_by(f64::total_cmp);
            let quantile = quantile(&values, 0.5).unwrap();
            prop_assert!((direct - quantile).abs() <= 1e-6);
        }
    }
}
