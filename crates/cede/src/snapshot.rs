//! What sessions counted, at one moment.

use std::time::Duration;

use crate::histogram::Histogram;

/// The counters of a domain, or of one session, at one moment.
///
/// Every counter is exact and never goes back from one snapshot to the next. Sessions are not stopped while
/// theirs are read, so within one snapshot two counters of a running session may be a yield point apart.
///
/// ```
/// use cede::{Domain, Policy};
///
/// let domain = Domain::new(Policy::Native);
/// let mut session = domain.session();
/// session.yield_point();
///
/// let before = domain.snapshot();
/// session.yield_point();
/// session.yield_point();
/// let during = domain.snapshot().since(&before);
/// assert_eq!(during.yields, 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Sessions that are alive. A level, not a counter: [`Snapshot::since`] keeps it.
    pub sessions: u64,
    /// Requests that are under way: begun, not finished, and not parked at this moment. A level like `sessions`, and known
    /// where the policy goes by it.
    pub active: u64,
    /// How long the oldest request may take before the policy holds others back; zero if it does not know or does not do
    /// that. A level too.
    pub patience: Duration,
    /// Sessions that ever started.
    pub sessions_total: u64,
    /// Yield points reached.
    pub calls: u64,
    /// Yield points that called `sched_yield(2)`.
    pub yields: u64,
    /// Yield points that slept.
    pub naps: u64,
    /// Requests that began.
    pub requests: u64,
    /// Times a thread was parked before its request began.
    pub parks: u64,
    /// Time parked.
    pub parked: Duration,
    /// Yields and naps in which the thread was switched out.
    pub switched: u64,
    /// Time inside yields and naps.
    pub inside: Duration,
    /// The part of `inside` in those that switched: close to the time spent off the CPU.
    pub off_cpu: Duration,
    /// How long each yield or nap took. Yield points that kept the CPU are not in it.
    pub histogram: Histogram,
    /// Sessions whose slice the kernel refused.
    pub slices_refused: u64,
    /// Sessions whose slice the kernel ignored.
    pub slices_not_honoured: u64,
}

impl Snapshot {
    /// What was counted since `earlier`, an earlier snapshot of the same domain or session. Saturates at zero
    /// where it is not. Levels stay those of `self`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            sessions: self.sessions,
            active: self.active,
            patience: self.patience,
            sessions_total: self.sessions_total.saturating_sub(earlier.sessions_total),
            calls: self.calls.saturating_sub(earlier.calls),
            yields: self.yields.saturating_sub(earlier.yields),
            naps: self.naps.saturating_sub(earlier.naps),
            requests: self.requests.saturating_sub(earlier.requests),
            parks: self.parks.saturating_sub(earlier.parks),
            parked: self.parked.saturating_sub(earlier.parked),
            switched: self.switched.saturating_sub(earlier.switched),
            inside: self.inside.saturating_sub(earlier.inside),
            off_cpu: self.off_cpu.saturating_sub(earlier.off_cpu),
            histogram: self.histogram.since(&earlier.histogram),
            slices_refused: self.slices_refused.saturating_sub(earlier.slices_refused),
            slices_not_honoured: self
                .slices_not_honoured
                .saturating_sub(earlier.slices_not_honoured),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(n: u64) -> Snapshot {
        let time = Duration::from_micros(n);
        Snapshot {
            sessions: n,
            active: 14 * n,
            patience: 15 * time,
            sessions_total: 2 * n,
            calls: 3 * n,
            yields: 4 * n,
            naps: 5 * n,
            requests: 11 * n,
            parks: 12 * n,
            parked: 13 * time,
            switched: 6 * n,
            inside: 7 * time,
            off_cpu: 8 * time,
            histogram: Histogram::from_buckets([(1000, n)]),
            slices_refused: 9 * n,
            slices_not_honoured: 10 * n,
        }
    }

    #[test]
    fn since_takes_every_counter_and_keeps_the_levels() {
        let difference = numbered(5).since(&numbered(2));
        assert_eq!(
            difference,
            Snapshot {
                sessions: 5,
                active: 70,
                patience: Duration::from_micros(75),
                ..numbered(3)
            }
        );
    }

    #[test]
    fn since_a_later_one_is_zero() {
        let difference = numbered(2).since(&numbered(5));
        assert_eq!(
            difference,
            Snapshot {
                sessions: 2,
                active: 28,
                patience: Duration::from_micros(30),
                ..Snapshot::default()
            }
        );
    }
}
