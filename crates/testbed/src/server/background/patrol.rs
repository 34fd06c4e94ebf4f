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
                // Not a sleep: the server ends when its patrol does, and a pause can be an hour long.
                updates.pause(self.sleep);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use scenario::Auto;

    use super::{super::LeftoversPlan, *};

    #[test]
    fn a_pause_ends_with_the_server() {
        let work = Work::new(Auto::Given(1.0));
        let leftovers = Leftovers::new(
            LeftoversPlan {
                per_update_us: 0.0,
                burst_us: 1.0,
                limit_us: 1.0,
            },
            work,
        );
        let patrol = PatrolPlan {
            busy_us: 1.0,
            sleep: Duration::from_secs(3600),
        };
        std::thread::scope(|scope| {
            scope.spawn(|| patrol.run(&leftovers, work));
            // A patrol that has not looked at the number yet would wait for the next update.
            while leftovers.pausing() == 0 {
                leftovers.leave();
                std::thread::sleep(Duration::from_millis(1));
            }
            leftovers.stop();
        });
    }
}
