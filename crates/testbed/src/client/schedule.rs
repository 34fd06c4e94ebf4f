use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use rand::{RngExt, rngs::Xoshiro256PlusPlus};

/// Decides when which connection sends. Times are in ns; connections are numbered by their owner.
#[derive(Debug)]
pub(super) enum Schedule {
    /// Each connection sends its next request a think time after its last reply.
    Closed(Closed),
    /// Requests arrive by themselves and take the first free connection.
    Open(Open),
}

/// A request to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// On which connection.
    pub(super) connection: usize,
    /// Since when it waits to be sent, if it does not belong to the connection: its latency counts from here.
    pub(super) intended_ns: Option<u64>,
}

impl Schedule {
    /// When the next request can be sent; none while all depends on a reply.
    pub(super) fn next_ns(&self) -> Option<u64> {
        match self {
            Self::Closed(closed) => closed.due.peek().map(|Reverse((due_ns, _))| *due_ns),
            Self::Open(open) => (!open.free.is_empty()).then(|| open.arrivals.next_ns()),
        }
    }

    /// Takes the next request that can be sent at `now_ns`.
    pub(super) fn take(&mut self, now_ns: u64) -> Option<Due> {
        if self.next_ns()? > now_ns {
            return None;
        }
        match self {
            Self::Closed(closed) => closed.due.pop().map(|Reverse((_, connection))| Due {
                connection,
                intended_ns: None,
            }),
            Self::Open(open) => open.free.pop_front().map(|connection| Due {
                connection,
                intended_ns: Some(open.arrivals.take()),
            }),
        }
    }

    /// A reply for `connection` came at `now_ns`.
    pub(super) fn release(&mut self, connection: usize, now_ns: u64) {
        match self {
            Self::Closed(closed) => closed
                .due
                .push(Reverse((now_ns.saturating_add(closed.think_ns), connection))),
            Self::Open(open) => open.free.push_back(connection),
        }
    }

    /// `connection` is gone.
    pub(super) fn remove(&mut self, connection: usize) {
        match self {
            Self::Closed(closed) => closed.due.retain(|Reverse((_, other))| *other != connection),
            Self::Open(open) => open.free.retain(|&other| other != connection),
        }
    }

    /// Requests that were due before `end_ns` and have not been taken.
    pub(super) fn unsent(&self, end_ns: u64) -> u64 {
        match self {
            Self::Closed(_) => 0,
            Self::Open(open) => open.arrivals.expected_until(end_ns),
        }
    }
}

/// See [`Schedule::Closed`].
#[derive(Debug)]
pub(super) struct Closed {
    think_ns: u64,
    due: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Closed {
    /// Connection `i` sends its first request at the i-th of `starts_ns`.
    pub(super) fn new(think_ns: u64, starts_ns: impl IntoIterator<Item = u64>) -> Self {
        let due = starts_ns.into_iter().zip(0..).map(Reverse).collect();
        Self { think_ns, due }
    }
}

/// See [`Schedule::Open`].
#[derive(Debug)]
pub(super) struct Open {
    arrivals: Arrivals,
    free: VecDeque<usize>,
}

impl Open {
    pub(super) fn new(arrivals: Arrivals, connections: usize) -> Self {
        Self {
            arrivals,
            free: (0..connections).collect(),
        }
    }
}

/// Poisson arrivals. They are their own queue: what has arrived and found no free connection is simply not drawn
/// yet, so that no backlog, however long, takes memory or loses its arrival times.
#[derive(Debug)]
pub(super) struct Arrivals {
    random: Xoshiro256PlusPlus,
    mean_gap_ns: f64,
    begin_ns: u64,
    next_after_begin_ns: f64,
}

impl Arrivals {
    /// Arrivals from `begin_ns` on, `rate` per second (above 0).
    pub(super) fn new(random: Xoshiro256PlusPlus, rate: f64, begin_ns: u64) -> Self {
        let mut arrivals = Self {
            random,
            mean_gap_ns: 1e9 / rate,
            begin_ns,
            next_after_begin_ns: 0.0,
        };
        arrivals.advance();
        arrivals
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "never negative, and a fraction of a ns does not matter"
    )]
    fn next_ns(&self) -> u64 {
        self.begin_ns.saturating_add(self.next_after_begin_ns as u64)
    }

    fn take(&mut self) -> u64 {
        let arrival_ns = self.next_ns();
        self.advance();
        arrival_ns
    }

    /// Gaps between Poisson arrivals have an exponential distribution; this is its inverse.
    fn advance(&mut self) {
        let uniform: f64 = self.random.random();
        self.next_after_begin_ns -= (1.0 - uniform).ln() * self.mean_gap_ns;
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count far below 2^53"
    )]
    fn expected_until(&self, end_ns: u64) -> u64 {
        match end_ns.checked_sub(self.next_ns()) {
            None | Some(0) => 0,
            // The next one is certain; the others follow at the mean rate.
            Some(left_ns) => 1 + (left_ns as f64 / self.mean_gap_ns) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::ycsb::Generators;

    fn arrivals(rate: f64) -> Arrivals {
        Arrivals::new(Generators::new(1).next(), rate, 1000)
    }

    #[test]
    fn a_closed_loop_sends_in_order_of_due_time() {
        let mut schedule = Schedule::Closed(Closed::new(100, [10, 30, 20]));
        assert_eq!(schedule.take(9), None);
        let connections: Vec<_> =
            std::iter::from_fn(|| schedule.take(30).map(|due| due.connection)).collect();
        assert_eq!(connections, [0, 2, 1]);
        assert_eq!(schedule.next_ns(), None);
        schedule.release(1, 40);
        schedule.release(0, 35);
        assert_eq!(schedule.next_ns(), Some(135));
        schedule.remove(0);
        assert_eq!(schedule.next_ns(), Some(140));
        assert_eq!(schedule.take(139), None);
        let due = schedule.take(140).unwrap();
        assert_eq!((due.connection, due.intended_ns), (1, None));
    }

    #[test]
    fn arrivals_come_at_the_rate_and_are_poisson() {
        const COUNT: u32 = 50_000;
        let mut arrivals = arrivals(1e6);
        let times: Vec<_> = (0..COUNT).map(|_| arrivals.take()).collect();
        let gaps: Vec<_> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 1000.0 - 1.0).abs() < 0.02, "{mean}");
        assert!(
            (variance.sqrt() / mean - 1.0).abs() < 0.03,
            "an exponential's deviation is its mean"
        );
    }

    #[test]
    fn a_backlog_keeps_its_arrival_times() {
        let mut schedule = Schedule::Open(Open::new(arrivals(1e6), 1));
        let mut expected = arrivals(1e6);
        assert_eq!(
            schedule.take(1_000_000).unwrap().intended_ns,
            Some(expected.take())
        );
        assert_eq!(schedule.take(1_000_000), None, "no connection is free");
        assert_eq!(schedule.next_ns(), None);
        for now_ns in [2_000_000, 3_000_000] {
            schedule.release(0, now_ns);
            assert_eq!(schedule.take(now_ns).unwrap().intended_ns, Some(expected.take()));
        }
    }

    #[test]
    fn what_is_never_sent_is_counted() {
        let schedule = Schedule::Open(Open::new(arrivals(1e6), 1));
        let unsent = schedule.unsent(1_001_000);
        assert!((990..=1001).contains(&unsent), "{unsent}");
        assert_eq!(schedule.unsent(1000), 0);
        assert_eq!(Schedule::Closed(Closed::new(0, [0])).unsent(u64::MAX), 0);
    }
}
