use std::{num::NonZeroU64, time::Duration};

use rustix::thread::set_current_timer_slack;

use super::{Leftovers, Work};

/// A thread that walks through everything again and again while there are updates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatrolPlan {
    /// CPU of one round, in us.
    pub busy_us: f64,
    /// Pause between rounds.
    pub sleep: Duration,
}

impl PatrolPlan {
    /// The patrol thread.
    pub(super) fn run(self, updates: &Leftovers, work: Work) {
        // Exact pauses; with the default slack of 50 us the rounds would drift with what else wakes up.
        // Where the kernel refuses, the pauses are that much longer.
        let _refused = set_current_timer_slack(NonZeroU64::new(1));
        let mut seen = updates.updates();
        while !updates.stopped() {
            updates.wait_for_update(seen);
            if updates.stopped() {
                break;
            }
            seen = updates.updates();
            work.run(self.busy_us);
            if !self.sleep.is_zero() {
                std::thread::sleep(self.sleep);
            }
        }
    }
}
