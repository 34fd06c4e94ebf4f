//! How a session answers a yield point. One file per policy below `policy/`.
//!
//! A policy is two functions: `decide`, pure and on the hot path, and `prepare`, which sets the thread up
//! when its session starts.

mod capped;
mod nap;
mod native;
mod none;

use std::fmt;
use std::time::Duration;

use crate::decision::Decision;
use crate::thread_setup::ThreadSetup;

/// How the sessions of a [`Domain`](crate::Domain) answer a yield point.
///
/// ```
/// use std::time::Duration;
/// use cede::Policy;
///
/// let policy = Policy::Capped { slice: Duration::from_micros(500) };
/// assert_eq!(policy.to_string(), "capped");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// `sched_yield(2)` at every yield point: what servers did before.
    Native,
    /// Never give the CPU away; only count the yield points.
    None,
    /// Sleep for 1 ns, with the thread's timer slack at 1 ns: some tens of microseconds.
    ///
    /// A sleep forfeits nothing, so this is far cheaper than a yield on kernels with the forfeit, and dearer
    /// on those without. Part of that cheapness is that often nobody else gets to run: the timer may fire
    /// before the thread has left its CPU, and the kernel then returns without a switch (`do_nanosleep` in
    /// kernel/time/hrtimer.c). [`Snapshot::switched`](crate::Snapshot::switched) tells how often it was
    /// real; on a virtual machine under Linux 6.18, fewer than 1 nap in 100.
    Nap,
    /// `sched_yield(2)`, with the thread's own slice cut to `slice`.
    ///
    /// What a yielder forfeits is at most the rest of its slice, so a short slice bounds the price. Takes
    /// Linux 6.12 or later; elsewhere it yields like [`Policy::Native`], and
    /// [`Session::slice`](crate::Session::slice) says so. The kernel accepts 0.1 to 100 ms, and values
    /// beyond are brought into that range. Threads started by a thread with a session inherit its slice.
    Capped {
        /// The slice to ask for.
        slice: Duration,
    },
}

impl Policy {
    /// The slice to cap to unless there is reason for another: 350 us.
    ///
    /// Half of the 0.7 ms that Linux takes for its default slice before scaling it by the number of CPUs
    /// (`sysctl_sched_base_slice` in kernel/sched/fair.c, since 6.15 and 6.12.31). Measured with 16 yielding
    /// threads on one CPU (Linux 6.18, default slice 1.4 ms): beside one busy thread, 350 us gave 2.5 times
    /// the throughput of the default slice, and without it the round robin among the yielders, the reason
    /// to yield at all, still kept the tail short; 100 us gave more throughput and lost the round robin.
    pub const DEFAULT_SLICE: Duration = Duration::from_micros(350);

    /// The policy's answer at a yield point.
    pub(crate) const fn decide(self) -> Decision {
        match self {
            Self::Native => native::decide(),
            Self::None => none::decide(),
            Self::Nap => nap::decide(),
            Self::Capped { .. } => capped::decide(),
        }
    }

    /// Sets the calling thread up for this policy.
    pub(crate) fn prepare(self) -> ThreadSetup {
        match self {
            Self::Native | Self::None => ThreadSetup::Untouched,
            Self::Nap => nap::prepare(),
            Self::Capped { slice } => capped::prepare(slice),
        }
    }
}

/// The policy's name as used on command lines and in reports: `native`, `none`, `nap` or `capped`.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Native => "native",
            Self::None => "none",
            Self::Nap => "nap",
            Self::Capped { .. } => "capped",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_has_its_name_and_its_answer() {
        let table = [
            (Policy::Native, "native", Decision::Yield),
            (Policy::None, "none", Decision::Stay),
            (Policy::Nap, "nap", Decision::Nap),
            (
                Policy::Capped {
                    slice: Policy::DEFAULT_SLICE,
                },
                "capped",
                Decision::Yield,
            ),
        ];
        for (policy, name, decision) in table {
            assert_eq!(policy.to_string(), name);
            assert_eq!(policy.decide(), decision);
        }
    }
}
