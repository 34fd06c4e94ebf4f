//! How numbers are written, in tables and on the page alike.

/// A number with at least three significant digits, and never with fewer than its whole part: 4361, 97.3, 4.20.
pub(crate) fn number(value: f64) -> String {
    // The borders are those past which rounding would show a digit more.
    let size = value.abs();
    if size >= 99.95 {
        format!("{value:.0}")
    } else if size >= 9.995 {
        format!("{value:.1}")
    } else if size > 0.0 {
        format!("{value:.2}")
    } else {
        "0".to_owned()
    }
}

/// What stands where there is no number.
pub(crate) fn absent() -> String {
    "-".to_owned()
}

/// A share of 1 in percent: 0.196 is 19.6%.
pub(crate) fn share(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// A ratio as a change: +3.1%, -62%, and from twice as much on a factor, x2.80.
pub(crate) fn change(ratio: f64) -> String {
    if ratio >= 1.995 {
        return format!("x{}", number(ratio));
    }
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 0.05 {
        "0.0%".to_owned()
    } else if (9.95..=90.0).contains(&percent.abs()) || percent > 90.0 {
        format!("{percent:+.0}%")
    } else {
        // Near -100 %, a whole percent is the difference between a tenth and nothing.
        format!("{percent:+.1}%")
    }
}

/// A span of time in the unit that suits it: 20 us, 1.5 ms, 3 s.
pub(crate) fn duration(us: f64) -> String {
    let (value, unit) = if us >= 999_500.0 {
        (us / 1e6, "s")
    } else if us >= 999.5 {
        (us / 1e3, "ms")
    } else {
        (us, "us")
    };
    let digits = number(value);
    let digits = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        &digits
    };
    format!("{digits} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(write: fn(f64) -> String, cases: &[(f64, &str)]) {
        for (value, expected) in cases {
            assert_eq!(write(*value), *expected, "{value}");
        }
    }

    #[test]
    fn numbers_keep_three_digits() {
        check(
            number,
            &[
                (0.0, "0"),
                (0.004, "0.00"),
                (1.0, "1.00"),
                (9.994, "9.99"),
                (9.996, "10.0"),
                (99.94, "99.9"),
                (99.96, "100"),
                (4361.4, "4361"),
                (1_234_567.8, "1234568"),
            ],
        );
    }

    #[test]
    fn shares_are_percent() {
        check(share, &[(0.0, "0.0%"), (0.196, "19.6%"), (1.0, "100.0%")]);
    }

    #[test]
    fn changes_are_percent_until_they_double() {
        check(
            change,
            &[
                (1.0, "0.0%"),
                (0.9999, "0.0%"),
                (1.021, "+2.1%"),
                (1.0994, "+9.9%"),
                (1.0996, "+10%"),
                (1.95, "+95%"),
                (1.994, "+99%"),
                (1.996, "x2.00"),
                (3.11, "x3.11"),
                (42.0, "x42.0"),
                (0.5, "-50%"),
                (0.9, "-10%"),
                (0.027, "-97.3%"),
            ],
        );
    }

    #[test]
    fn durations_choose_their_unit() {
        check(
            duration,
            &[
                (0.0, "0 us"),
                (20.0, "20 us"),
                (100.0, "100 us"),
                (999.6, "1 ms"),
                (1500.0, "1.5 ms"),
                (3e6, "3 s"),
            ],
        );
    }
}
