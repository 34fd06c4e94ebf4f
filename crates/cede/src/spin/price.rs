//! Whether a thread that waits can afford yields.

use crate::era;
use crate::sync::{AtomicU64, Ordering};
use crate::sys;

/// A yield that takes longer gives the CPU to somebody who does not yield.
pub(super) const DEAR_NS: u64 = 100_000;

/// What a cheap yield may cost once its part of the dear ones is added: to be woken by another thread and to wake it takes
/// some 10 us, beside somebody who does not yield.
const WORTH_NS: u64 = 20_000;

/// So much of that can be saved up. Before the forfeit single yields took up to 0.1 s (Linux 6.12.57), and thousands next
/// to nothing.
const MOST_SAVED_NS: u64 = 200_000_000;
/// With it one that is dear takes a slice or two, and the next one will too, unless it met a thread that seldom runs.
const MOST_SAVED_WITH_FORFEIT_NS: u64 = 5_000_000;

/// A yield that was too dear is not repeated for so many times as long as it took,
const REPENT: u64 = 64;
/// or as this, if it took longer: there may have been many neighbours for once.
const LONG_NS: u64 = 10_000_000;

/// CPUs that are told apart. Of a larger machine, several share what is known.
const CPUS: usize = 256;

/// What yields cost, as one thread has seen it.
#[derive(Debug)]
pub(super) struct Price {
    /// What dear yields may take before they are too dear, earned by cheap ones.
    saved_ns: u64,
}

/// Until when yields are too dear, on each CPU: whoever has found out tells the others.
#[derive(Debug)]
pub(super) struct Prices {
    dear_until_ns: Box<[AtomicU64]>,
}

impl Prices {
    pub(super) fn are_dear(&self, now: u64) -> bool {
        self.here()
            .is_some_and(|until| now < until.load(Ordering::Relaxed))
    }

    fn set_dear(&self, until_ns: u64) {
        if let Some(until) = self.here() {
            until.store(until_ns, Ordering::Relaxed);
        }
    }

    /// That of the CPU that the thread runs on; where that is not told, one for all.
    fn here(&self) -> Option<&AtomicU64> {
        let cpu = sys::current_cpu().unwrap_or(0);
        self.dear_until_ns.get(cpu % CPUS)
    }
}

impl Default for Prices {
    fn default() -> Self {
        Self {
            dear_until_ns: (0..CPUS).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl Price {
    /// So many cheap yields have let somebody else run.
    pub(super) fn cheap(&mut self, yields: u32) {
        self.saved_ns = (self.saved_ns + WORTH_NS * u64::from(yields)).min(MOST_SAVED_NS);
    }

    /// A yield took `ns`, up to `now`.
    pub(super) fn dear(&mut self, ns: u64, now: u64, prices: &Prices) {
        if self.is_too_dear(ns, most_saved_ns()) {
            prices.set_dear(now.saturating_add(ns.min(LONG_NS) * REPENT));
        }
    }

    fn is_too_dear(&mut self, ns: u64, most_saved_ns: u64) -> bool {
        let saved = self.saved_ns.min(most_saved_ns);
        self.saved_ns = saved.saturating_sub(ns);
        ns > saved
    }
}

impl Default for Price {
    /// Has the benefit of the doubt: on a kernel without the forfeit, the next yields may well be cheap.
    fn default() -> Self {
        Self {
            saved_ns: MOST_SAVED_NS,
        }
    }
}

fn most_saved_ns() -> u64 {
    if era::try_current().is_some_and(|kernel| kernel.forfeits.holds() == Some(true)) {
        MOST_SAVED_WITH_FORFEIT_NS
    } else {
        MOST_SAVED_NS
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const SLICE_NS: u64 = 3_000_000;

    #[test]
    fn with_the_forfeit_one_dear_yield_may_be_chance_and_two_are_not() {
        let mut price = Price::default();
        assert!(!price.is_too_dear(SLICE_NS, MOST_SAVED_WITH_FORFEIT_NS));
        assert!(price.is_too_dear(SLICE_NS, MOST_SAVED_WITH_FORFEIT_NS));
    }

    #[test]
    fn many_cheap_yields_pay_for_a_dear_one() {
        let mut price = Price::default();
        assert!(price.is_too_dear(MOST_SAVED_NS + 1, MOST_SAVED_NS));
        price.cheap(1);
        assert!(price.is_too_dear(SLICE_NS, MOST_SAVED_NS));
        price.cheap(1000);
        assert!(!price.is_too_dear(SLICE_NS, MOST_SAVED_NS));
    }

    #[test]
    fn what_one_thread_found_out_holds_for_all_on_that_cpu_and_ends() {
        let prices = Prices::default();
        assert!(!prices.are_dear(1));
        for cpu in &prices.dear_until_ns {
            cpu.store(100, Ordering::Relaxed);
        }
        assert!(prices.are_dear(99) && !prices.are_dear(100));
    }
}
