//! What a policy may decide at a yield point or before a request, and what came of it.

use std::time::Duration;

/// What a policy decided at a yield point or before a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Decision {
    /// Keep the CPU and go on.
    Stay,
    /// Give the CPU away with `sched_yield(2)`.
    Yield,
    /// Give the CPU away by the shortest possible sleep.
    Nap,
    /// Do not begin the request yet: wait until others are done.
    Park,
}

impl Decision {
    pub(crate) const fn parks(self) -> bool {
        matches!(self, Self::Park)
    }
}

/// What one yield point did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// What the policy decided.
    pub decision: Decision,
    /// Time from the offer to being back, measured on the wall clock. Zero for a [`Decision::Stay`], which
    /// takes no time stamps.
    pub inside: Duration,
    /// Whether the thread was switched out meanwhile, by the yield or by a preemption that happened to fall
    /// into it. Always false where the system does not count context switches per thread.
    pub switched: bool,
}

impl Pause {
    /// The thread kept its CPU.
    pub(crate) const STAYED: Self = Self {
        decision: Decision::Stay,
        inside: Duration::ZERO,
        switched: false,
    };
}
