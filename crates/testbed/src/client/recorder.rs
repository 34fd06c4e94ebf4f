use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use scenario::{Operation, OperationOutcome};

use super::{distribution::distribution, latency_hash::LatencyHash, outcome::Commands};

/// Longest latency that is told apart, in ns: 100 s. Longer ones count as this.
pub(super) const LONGEST_NS: u64 = 100_000_000_000;
/// Significant digits of a recorded latency.
const DIGITS: u8 = 3;

/// What one thread has seen; merged over the threads in the end.
#[derive(Debug)]
pub(super) struct Recorder {
    /// One for each of [`Operation::ALL`].
    latencies: Vec<Histogram<u64>>,
    /// Operations that failed in the measured part, and connections that broke.
    pub(super) errors: u64,
    /// When the first error came, in ns, and what it was.
    first_error: Option<(u64, String)>,
    /// Requests that were sent in the measured part.
    pub(super) requests: u64,
    /// Arrivals that were never sent.
    pub(super) unsent: u64,
    /// How the last connection that broke did so.
    pub(super) last_loss: Option<String>,
    /// Every reply that came.
    pub(super) commands: Commands,
    /// What the histograms hold, in its order.
    latency_hash: LatencyHash,
}

/// A histogram of ns.
#[expect(
    clippy::expect_used,
    reason = "the bounds are constants that the histogram accepts"
)]
pub(super) fn empty_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).expect("1 < LONGEST_NS / 2, DIGITS <= 5")
}

impl Recorder {
    pub(super) fn new() -> Self {
        Self {
            latencies: Operation::ALL.iter().map(|_| empty_histogram()).collect(),
            errors: 0,
            first_error: None,
            requests: 0,
            unsent: 0,
            last_loss: None,
            commands: Commands::default(),
            latency_hash: LatencyHash::new(),
        }
    }

    /// Notes an operation that completed.
    pub(super) fn completed(&mut self, operation: Operation, latency_ns: u64) {
        self.latency_hash.add(operation, latency_ns);
        if let Some(latencies) = self.latencies.get_mut(operation as usize) {
            latencies.saturating_record(latency_ns);
        }
    }

    /// Keeps `what`, of time `at_ns`, if nothing went wrong earlier.
    pub(super) fn went_wrong(&mut self, at_ns: u64, what: &str) {
        if self
            .first_error
            .as_ref()
            .is_none_or(|&(first_ns, _)| at_ns < first_ns)
        {
            self.first_error = Some((at_ns, what.to_owned()));
        }
    }

    /// Adds what another thread has seen. Threads have to be merged in their order.
    pub(super) fn merge(&mut self, other: &Self) {
        for (own, other) in self.latencies.iter_mut().zip(&other.latencies) {
            // Both have the same bounds, so nothing can be refused.
            let _same_bounds = own.add(other);
        }
        self.errors += other.errors;
        self.requests += other.requests;
        self.unsent += other.unsent;
        self.commands.add(&other.commands);
        self.latency_hash.join(other.latency_hash);
        if let Some((at_ns, what)) = &other.first_error {
            self.went_wrong(*at_ns, what);
        }
        if other.last_loss.is_some() {
            self.last_loss.clone_from(&other.last_loss);
        }
    }

    pub(super) fn latency_hash(&self) -> u64 {
        self.latency_hash.value()
    }

    pub(super) fn first_error(&self) -> Option<String> {
        self.first_error.as_ref().map(|(_, what)| what.clone())
    }

    /// The operations that occurred.
    pub(super) fn operations(&self) -> BTreeMap<Operation, OperationOutcome> {
        Operation::ALL
            .iter()
            .zip(&self.latencies)
            .filter(|(_, histogram)| !histogram.is_empty())
            .map(|(&operation, histogram)| (operation, summary(histogram)))
            .collect()
    }
}

fn summary(histogram: &Histogram<u64>) -> OperationOutcome {
    let quantile_us = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e3;
    OperationOutcome {
        count: histogram.len(),
        mean_us: histogram.mean() / 1e3,
        p50_us: quantile_us(0.5),
        p90_us: quantile_us(0.9),
        p99_us: quantile_us(0.99),
        p999_us: quantile_us(0.999),
        max_us: histogram.max() as f64 / 1e3,
        distribution: distribution(histogram),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_merge_into_one_result() {
        let (mut one, mut other) = (Recorder::new(), Recorder::new());
        for us in 1..=500 {
            one.completed(Operation::Read, us * 1000);
            other.completed(Operation::Read, (us + 500) * 1000);
        }
        one.went_wrong(20, "late");
        other.went_wrong(10, "early");
        one.merge(&other);
        let operations = one.operations();
        let read = &operations[&Operation::Read];
        assert_eq!(read.count, 1000);
        for (value, expected) in [
            (read.mean_us, 500.5),
            (read.p50_us, 500.0),
            (read.p90_us, 900.0),
            (read.p99_us, 990.0),
            (read.p999_us, 999.0),
            (read.max_us, 1000.0),
        ] {
            assert!(
                (value / expected - 1.0).abs() < 0.002,
                "{value} instead of {expected}"
            );
        }
        assert_eq!(one.first_error().as_deref(), Some("early"));
        assert!(
            !operations.contains_key(&Operation::Update),
            "what did not occur is absent"
        );
    }

    #[test]
    fn differences_below_a_microsecond_show() {
        let mut recorder = Recorder::new();
        recorder.completed(Operation::Update, 50_100);
        recorder.completed(Operation::Update, 50_900);
        let update = &recorder.operations()[&Operation::Update];
        assert!(update.max_us - update.p50_us > 0.6);
    }
}
