//! What a policy changed about its thread; dropping it puts the thread back.

use crate::slice::{OwnSlice, SliceState};
use crate::timer_slack::TimerSlack;

/// Must be dropped on the thread that made it: all of these settings belong to the calling thread.
#[derive(Debug)]
pub(crate) enum ThreadSetup {
    /// The policy takes the thread as it is.
    Untouched,
    /// The thread's timer slack was shortened.
    Slack(#[allow(dead_code, reason = "held for its Drop")] TimerSlack),
    /// The thread was given a slice of its own, or asked for one.
    Slice(OwnSlice),
}

impl ThreadSetup {
    /// How the thread stands with a slice of its own.
    pub(crate) const fn slice(&self) -> SliceState {
        match self {
            Self::Untouched | Self::Slack(_) => SliceState::Unchanged,
            Self::Slice(slice) => slice.state(),
        }
    }
}
