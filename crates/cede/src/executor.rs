//! Carries a decision out and measures what it cost.

use std::time::Instant;

use crate::decision::{Decision, Pause};
use crate::sys;

/// Does what the policy decided.
pub(crate) fn carry_out(decision: Decision) -> Pause {
    match decision {
        // Only requests are parked, and by the gate.
        Decision::Stay | Decision::Park => Pause::STAYED,
        Decision::Yield => measured(decision, sys::yield_cpu),
        Decision::Nap => measured(decision, sys::nap),
    }
}

/// The clock is read innermost, so that counting switches (0.3 us per call) is not booked as time inside.
fn measured(decision: Decision, give_up: fn()) -> Pause {
    let switches = sys::context_switches();
    let start = Instant::now();
    give_up();
    let inside = start.elapsed();
    Pause {
        decision,
        inside,
        switched: sys::context_switches() != switches,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staying_takes_no_time_stamps() {
        assert_eq!(carry_out(Decision::Stay), Pause::STAYED);
    }

    /// With the default slack a sleep lasts long enough to be real, though no single one has to be.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_nap_is_seen_to_switch() {
        let mut naps = (0..1000).map(|_| carry_out(Decision::Nap));
        let real = naps.find(|pause| pause.switched).unwrap();
        assert_eq!(real.decision, Decision::Nap);
        assert!(!real.inside.is_zero());
    }
}
