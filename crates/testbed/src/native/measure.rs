//! Turns what the client and the server counted into an outcome.

mod admission;

use std::time::Duration;

use cede::Histogram;
use scenario::{Background, ContextSwitches, CpuUse, Outcome, Yields};

use crate::{
    client::LoadOutcome,
    server::{CedeStatus, transport::YieldPointCounts},
};

/// The outcome of a run whose server stood at `before` and `after` at the start and the end of the measured part, and at
/// `end` when all was answered.
///
/// What the server counted is divided by the requests that it counted between the same two readings: they embrace the
/// measured part, and are further apart than it is long where a reading has to wait for a CPU.
pub(super) fn outcome(
    load: &LoadOutcome,
    before: &CedeStatus,
    after: &CedeStatus,
    end: &CedeStatus,
) -> Outcome {
    let between = Between { before, after };
    let requests = between.grown(|status| status.transport.requests);
    let per_request = |count: u64| ratio(count as f64, requests as f64);
    let switch_requests = between.grown(|status| status.workers.requests);
    let switches = |count: u64| ratio(count as f64, switch_requests as f64);
    let yields = |count: fn(&YieldPointCounts) -> u64| {
        between.grown(|status| count(&status.transport.before_receive) + count(&status.transport.after_send))
    };
    let worker_wall = between.grown(|status| status.worker_wall_nanos) as f64;
    // A call is counted whole when it ends, also the part before the first reading.
    let share_of_time =
        |time: fn(&CedeStatus) -> u64| ratio(between.grown(time) as f64, worker_wall).min(1.0);
    let server_cpu = between.grown(|status| status.process_cpu_nanos);
    let wall = between.grown(|status| status.uptime_nanos) as f64 * after.cores as f64;
    let inside = histogram(&after.histogram).since(&histogram(&before.histogram));
    Outcome {
        seconds: load.seconds,
        throughput_ops: load.throughput_ops,
        operations: load.operations.clone(),
        yields: Yields {
            calls_per_op: per_request(yields(|point| point.calls)),
            switched_per_op: per_request(yields(|point| point.switched)),
            mean_us: micros(inside.mean()),
            p50_us: micros(inside.quantile(0.5)),
            p99_us: micros(inside.quantile(0.99)),
            parks_per_op: per_request(between.grown(|status| status.parks)),
            park_share: share_of_time(|status| status.parked_nanos),
            off_cpu_share: share_of_time(|status| status.off_cpu_nanos),
        },
        background: Background {
            cpu_share: ratio(between.grown(|status| status.background_cpu_nanos) as f64, wall),
            undone_us: after.background_due_micros,
            done_by_updates_us: after.background_done_by_updates_micros
                - before.background_done_by_updates_micros,
        },
        context_switches: ContextSwitches {
            voluntary_per_op: switches(between.grown(|status| status.workers.voluntary_switches)),
            involuntary_per_op: switches(between.grown(|status| status.workers.involuntary_switches)),
        },
        cpu: CpuUse {
            server_us_per_op: per_request(server_cpu) / 1e3,
            client_us_per_op: ratio(load.cpu.as_secs_f64() * 1e6, load.operation_count() as f64),
            server_share: ratio(server_cpu as f64, wall),
        },
        admission: admission::admission(before, after),
        errors: load.errors,
        off_cpu: None,
        digest: None,
        notes: notes(load, end),
    }
}

/// What the reader has to know beside the numbers.
fn notes(load: &LoadOutcome, end: &CedeStatus) -> Vec<String> {
    let unsent = (load.unsent > 0).then(|| {
        format!(
            "{} arrivals found no free connection before the end: the rate is beyond what was served, and their wait is \
             in no latency",
            load.unsent
        )
    });
    load.trouble()
        .into_iter()
        .chain(unsent)
        .chain(miscounted(load.commands.total(), end.transport.requests))
        .collect()
}

/// Both halves count the same requests, and nobody else uses the server.
fn miscounted(answered: u64, decoded: u64) -> Option<String> {
    (answered != decoded).then(|| {
        format!("the server decoded {decoded} requests, the client sent {answered} that were answered")
    })
}

struct Between<'a> {
    before: &'a CedeStatus,
    after: &'a CedeStatus,
}

impl Between<'_> {
    fn grown(&self, counter: impl Fn(&CedeStatus) -> u64) -> u64 {
        counter(self.after).saturating_sub(counter(self.before))
    }
}

fn histogram(buckets: &[(u64, u64)]) -> Histogram {
    Histogram::from_buckets(buckets.iter().copied())
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// 0 where nothing happened.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_only_one_half_counted_are_told() {
        assert_eq!(miscounted(7, 7), None);
        assert_eq!(
            miscounted(6, 7).as_deref(),
            Some("the server decoded 7 requests, the client sent 6 that were answered")
        );
    }
}
