use scenario::Distribution;

/// Zero has no place on a logarithmic axis; no request of a server is shorter than this.
const SHORTEST_US: f64 = 0.1;

/// A point of a percentile curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// The percentile as `-log10(1 - share)`, the number of nines: 0 at 0 %, 1 at 90 %, 2 at 99 %.
    pub(super) nines: f64,
    pub(super) latency_us: f64,
}

/// Latency over percentile: how long the fastest share of operations took at most. As in the plots of
/// `HdrHistogram`, the percentile is stretched towards 100, where the waiting is.
#[derive(Clone, Debug)]
pub(super) struct Curve(Vec<Point>);

impl Curve {
    /// None if the distribution is empty.
    pub(super) fn of(distribution: &Distribution) -> Option<Self> {
        let buckets = || distribution.0.iter().filter(|(_, count)| *count > 0);
        let total = buckets().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count));
        let (shortest_us, _) = buckets().next()?;
        let mut points = vec![Point {
            nines: 0.0,
            latency_us: shortest_us.max(SHORTEST_US),
        }];
        let mut upto = 0_u64;
        for (latency_us, count) in buckets() {
            upto = upto.saturating_add(*count);
            // 100 % lies at infinity: the last bucket is drawn where its first operation could be told apart.
            let beyond = total.saturating_sub(upto).max(1);
            points.push(Point {
                nines: (total as f64 / beyond as f64).log10(),
                latency_us: latency_us.max(SHORTEST_US),
            });
        }
        Some(Self(points))
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.0
    }

    /// Where the curve ends.
    pub(super) fn last_nines(&self) -> f64 {
        self.0.last().map_or(0.0, |point| point.nines)
    }

    /// The shortest and the longest latency, in us.
    pub(super) fn range_us(&self) -> Option<(f64, f64)> {
        Some((self.0.first()?.latency_us, self.0.last()?.latency_us))
    }

    /// The latency at a percentile, between points on the line as it is drawn, on a logarithmic axis; none past
    /// the curve's end.
    pub(super) fn latency_us_at(&self, nines: f64) -> Option<f64> {
        let (before, after) = self
            .0
            .windows(2)
            .filter_map(|pair| Some((pair.first()?, pair.get(1)?)))
            .find(|(_, after)| after.nines >= nines)?;
        let span = after.nines - before.nines;
        let share = if span > 0.0 {
            (nines - before.nines) / span
        } else {
            1.0
        };
        Some(before.latency_us * (after.latency_us / before.latency_us).powf(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_counts_nines() {
        let distribution = Distribution(vec![(10.0, 90), (15.0, 0), (20.0, 9), (50.0, 1)]);
        let curve = Curve::of(&distribution).unwrap();
        let points: Vec<_> = curve
            .points()
            .iter()
            .map(|point| (point.nines, point.latency_us))
            .collect();
        assert_eq!(points, [(0.0, 10.0), (1.0, 10.0), (2.0, 20.0), (2.0, 50.0)]);
        assert_eq!(curve.latency_us_at(0.5), Some(10.0));
        let halfway = curve.latency_us_at(1.5).unwrap();
        assert!((halfway - 200_f64.sqrt()).abs() < 1e-9, "{halfway}");
        assert_eq!(curve.latency_us_at(2.5), None);
    }

    #[test]
    fn nothing_has_no_curve_and_zero_is_drawn_above_zero() {
        assert!(Curve::of(&Distribution(vec![(1.0, 0)])).is_none());
        let curve = Curve::of(&Distribution(vec![(0.0, 5)])).unwrap();
        assert_eq!(curve.range_us(), Some((SHORTEST_US, SHORTEST_US)));
    }
}
