//! The tickets, as MongoDB's users know them: `queues.execution` since 8.0, `wiredTiger.concurrentTransactions` before.
//!
//! All fields are there, and those of what this server has not (priorities, exempt operations, ends of waits by an
//! interruption) are zero.

use std::time::Duration;

use bson::{RawArrayBuf, RawDocumentBuf, raw::cstr, rawdoc};
use scenario::Admission as Algorithm;

use super::whole;
use crate::server::admission::{Admission, Monitor, PoolCounts, TicketPool};

/// Admissions from which on MongoDB gives an operation a lower priority
/// (`executionControlHeuristicNumAdmissionsDeprioritizeThreshold`, its default).
const DEPRIORITIZATION_THRESHOLD: i64 = 3;

/// The section `queues`.
pub(super) fn queues(admission: &Admission) -> RawDocumentBuf {
    let pools = admission.pools();
    rawdoc! {
        "execution": {
            "usesThroughputProbing": admission.algorithm() == Algorithm::Probing,
            "usesPrioritization": false,
            "deprioritizationGate": false,
            "heuristicDeprioritization": false,
            "backgroundTasksDeprioritization": false,
            "totalDeprioritizations": 0_i64,
            "totalMarkedNonDeprioritizable": 0_i64,
            "heuristicDeprioritizationThreshold": DEPRIORITIZATION_THRESHOLD,
            "read": execution(&pools.read),
            "write": execution(&pools.write),
            "monitor": monitor(&admission.monitor()),
            "admissions": RawArrayBuf::new(),
        },
    }
}

/// The section `wiredTiger.concurrentTransactions` of MongoDB 7.0.
pub(super) fn concurrent_transactions(admission: &Admission) -> RawDocumentBuf {
    let pools = admission.pools();
    rawdoc! { "read": Tickets::of(&pools.read).document(), "write": Tickets::of(&pools.write).document() }
}

/// Tickets of a pool.
#[derive(Clone, Copy, Default)]
struct Tickets {
    out: u32,
    available: u32,
    total: u32,
}

impl Tickets {
    fn of(pool: &TicketPool) -> Self {
        Self {
            out: pool.used(),
            available: pool.available(),
            total: pool.total(),
        }
    }

    fn document(self) -> RawDocumentBuf {
        let mut document = RawDocumentBuf::new();
        self.append_to(&mut document);
        document
    }

    fn append_to(self, document: &mut RawDocumentBuf) {
        document.append(cstr!("out"), i64::from(self.out));
        document.append(cstr!("available"), i64::from(self.available));
        document.append(cstr!("totalTickets"), i64::from(self.total));
    }
}

fn execution(pool: &TicketPool) -> RawDocumentBuf {
    let tickets = Tickets::of(pool);
    let nothing = PoolCounts::default();
    let mut document = rawdoc! {
        "normalPriority": prioritized(tickets, &pool.counts()),
        "lowPriority": prioritized(Tickets::default(), &nothing),
        "exempt": queue(&nothing),
        "nonDeprioritizable": no_operations(),
        "deprioritizable": no_operations(),
    };
    tickets.append_to(&mut document);
    document
}

fn prioritized(tickets: Tickets, counts: &PoolCounts) -> RawDocumentBuf {
    let mut document = queue(counts);
    tickets.append_to(&mut document);
    document
}

fn queue(counts: &PoolCounts) -> RawDocumentBuf {
    let mut waits = RawArrayBuf::new();
    for &(least_us, count) in &counts.waits {
        waits.push(rawdoc! { "lowerBound": whole(least_us), "count": whole(count) });
    }
    rawdoc! {
        "addedToQueue": whole(counts.queued),
        "removedFromQueue": whole(counts.admitted),
        "queueLength": whole(counts.queued.saturating_sub(counts.admitted)),
        "queuedOperationsTotalAdmissions": whole(counts.admitted),
        "startedProcessing": whole(counts.started),
        "processing": whole(counts.started.saturating_sub(counts.finished)),
        "finishedProcessing": whole(counts.finished),
        "totalTimeProcessingMicros": micros(counts.held),
        "canceled": 0_i64,
        // Every operation is admitted once.
        "newAdmissions": whole(counts.started),
        "totalTimeQueuedMicros": micros(counts.queued_time),
        "totalDelinquentAcquisitions": whole(counts.delinquent),
        "totalAcquisitionDelinquencyMillis": micros(counts.delinquent_time) / 1000,
        "maxAcquisitionDelinquencyMillis": micros(counts.longest_delinquent) / 1000,
        "queueWaitTimeMicros": waits,
    }
}

fn no_operations() -> RawDocumentBuf {
    rawdoc! {
        "totalElapsedTimeMicros": 0_i64,
        "totalCPUUsageMicros": 0_i64,
        "totalTimeProcessingMicros": 0_i64,
        "totalTimeQueuedMicros": 0_i64,
        "totalAdmissions": 0_i64,
        "newAdmissions": 0_i64,
    }
}

fn monitor(monitor: &Monitor) -> RawDocumentBuf {
    rawdoc! {
        "timesDecreased": whole(monitor.times_decreased),
        "timesIncreased": whole(monitor.times_increased),
        "totalAmountDecreased": tickets(monitor.total_decreased),
        "totalAmountIncreased": tickets(monitor.total_increased),
        "resizeDurationMicros": micros(monitor.resizing),
        "timesProbedStable": whole(monitor.times_stable),
        "timesProbedUp": whole(monitor.times_up),
        "timesProbedDown": whole(monitor.times_down),
    }
}

/// The controller moves by parts of a ticket, MongoDB's users see whole ones.
fn tickets(amount: f64) -> i64 {
    #[allow(clippy::cast_possible_truncation, reason = "whole, and `as` saturates")]
    let whole = amount.round() as i64;
    whole
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
