//! `nap`: sleep for an instant instead of yielding.

use crate::decision::Decision;
use crate::thread_setup::ThreadSetup;
use crate::timer_slack::TimerSlack;

/// With the default slack of 50 us the kernel may stretch a 1 ns sleep by that much.
const SLACK_NS: u64 = 1;

pub(crate) const fn at_yield_point() -> Decision {
    Decision::Nap
}

/// A refused slack only makes naps longer, so it is no reason to fail.
pub(crate) fn prepare() -> ThreadSetup {
    TimerSlack::set(SLACK_NS).map_or(ThreadSetup::Untouched, ThreadSetup::Slack)
}
