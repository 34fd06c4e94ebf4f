//! What one session counted.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::decision::{Decision, Pause};
use crate::gate::Hold;
use crate::histogram::SharedHistogram;
use crate::nanos::nanos;
use crate::snapshot::Snapshot;

/// Written by one session, read by any thread at any time.
///
/// Having one writer, a counter is advanced by a plain load and store instead of a locked instruction. The
/// alignment keeps two sessions' counters apart: 128 bytes, because x86 prefetches cache lines in pairs and
/// some Arm cores have lines of that size.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct Counters {
    calls: AtomicU64,
    yields: AtomicU64,
    naps: AtomicU64,
    requests: AtomicU64,
    parks: AtomicU64,
    parked_ns: AtomicU64,
    switched: AtomicU64,
    inside_ns: AtomicU64,
    off_cpu_ns: AtomicU64,
    /// 3.6 KiB, so only for sessions that ever gave the CPU away.
    histogram: OnceLock<SharedHistogram>,
}

impl Counters {
    /// Books one yield point. For the owning session only: a second writer at the same time would lose
    /// counts.
    pub(crate) fn record(&self, pause: &Pause) {
        advance(&self.calls, 1);
        match pause.decision {
            Decision::Stay | Decision::Park => return,
            Decision::Yield => advance(&self.yields, 1),
            Decision::Nap => advance(&self.naps, 1),
        }
        let ns = nanos(pause.inside);
        advance(&self.inside_ns, ns);
        if pause.switched {
            advance(&self.switched, 1);
            advance(&self.off_cpu_ns, ns);
        }
        self.histogram.get_or_init(SharedHistogram::default).record(ns);
    }

    /// Books a request that began.
    pub(crate) fn record_request(&self, hold: Hold) {
        advance(&self.requests, 1);
        if hold.parks > 0 {
            advance(&self.parks, hold.parks);
            advance(&self.parked_ns, hold.parked_ns);
        }
    }

    /// Adds what was counted so far to `total`.
    pub(crate) fn add_to(&self, total: &mut Snapshot) {
        total.calls += self.calls.load(Relaxed);
        total.yields += self.yields.load(Relaxed);
        total.naps += self.naps.load(Relaxed);
        total.requests += self.requests.load(Relaxed);
        total.parks += self.parks.load(Relaxed);
        total.parked += Duration::from_nanos(self.parked_ns.load(Relaxed));
        total.switched += self.switched.load(Relaxed);
        total.inside += Duration::from_nanos(self.inside_ns.load(Relaxed));
        total.off_cpu += Duration::from_nanos(self.off_cpu_ns.load(Relaxed));
        if let Some(histogram) = self.histogram.get() {
            histogram.add_to(&mut total.histogram);
        }
    }
}

/// Advances a counter that has one writer.
pub(crate) fn advance(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(by), Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(decision: Decision, us: u64, switched: bool) -> Pause {
        Pause {
            decision,
            inside: Duration::from_micros(us),
            switched,
        }
    }

    #[test]
    fn each_pause_is_booked_once_and_where_it_belongs() {
        let counters = Counters::default();
        counters.record(&Pause::STAYED);
        counters.record(&pause(Decision::Yield, 2, false));
        counters.record(&pause(Decision::Yield, 700, true));
        counters.record(&pause(Decision::Nap, 60, true));
        let mut seen = Snapshot::default();
        counters.add_to(&mut seen);
        assert_eq!((seen.calls, seen.yields, seen.naps, seen.switched), (4, 2, 1, 2));
        assert_eq!(seen.inside, Duration::from_micros(762));
        assert_eq!(seen.off_cpu, Duration::from_micros(760));
        assert_eq!(seen.histogram.count(), 3);
    }

    #[test]
    fn a_session_that_only_stays_has_no_histogram() {
        let counters = Counters::default();
        counters.record(&Pause::STAYED);
        assert!(counters.histogram.get().is_none());
    }

    #[test]
    fn two_sessions_never_share_a_cache_line() {
        assert_eq!(align_of::<Counters>(), 128);
        assert_eq!(size_of::<Counters>(), 128);
    }
}
