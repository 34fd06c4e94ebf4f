//! How a session answers a yield point, and whether it begins a request at once. One file per policy below
//! `policy/`.
//!
//! A policy is pure functions over an [`Observation`], so that a simulator can run it too, and what it sets up for
//! its threads.

mod age;
pub(crate) mod auto;
mod budgeted;
mod capped;
mod nap;
mod native;
mod none;
pub(crate) mod patience;

use std::fmt;
use std::time::Duration;

use crate::decision::Decision;
use crate::observation::Observation;
use crate::thread_setup::ThreadSetup;

/// How the sessions of a [`Domain`](crate::Domain) answer a yield point, and when they begin requests.
///
/// ```
/// use std::time::Duration;
/// use cede::Policy;
///
/// assert_eq!(Policy::default(), Policy::Auto);
/// let policy = Policy::Capped { slice: Duration::from_micros(500) };
/// assert_eq!(policy.to_string(), "capped");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// Find out, while the server runs, what helps: the policy to use.
    ///
    /// Requests are held back like under [`Policy::Patience`], but never so many that CPUs have nothing to do or the
    /// server's share of them shrinks: two in five go on, and on each CPU some that want it. Where requests wait for
    /// locks or disks rather than for a CPU, that leaves nobody to hold back, and yields step in, rare and within a
    /// budget. Threads get a slice of their own where the kernel takes one. Nothing has to be tuned.
    ///
    /// Sessions that only call [`Session::yield_point`](crate::Session::yield_point) never wait for others to finish:
    /// they yield after much work, while somebody waits for too long; and pause for real in a loop that waits.
    #[default]
    Auto,
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
    /// `sched_yield(2)`, but only after half a millisecond of CPU time since the last time off the CPU, and only as
    /// long as yields take a tenth of the thread's time at most, by what they turn out to take.
    Budgeted,
    /// Hold a request back while the oldest one under way has taken more than 2.25 times the mean. The thread waits on
    /// a futex and holds nothing. Requests that are expected to take at most half as much as the oldest, or less than 0.1 ms,
    /// pass, until it has waited 1.3 times as long, and longer with several CPUs.
    Patience,
    /// `sched_yield(2)`, but only while the oldest request under way has taken more than 3 times the mean.
    Age,
}

/// What a policy has to see at a yield point before it can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// It stays, always.
    Never,
    /// Nothing: it never stays.
    Nothing,
    /// Other requests, and only while somebody has waited long.
    Others,
    /// The thread's own CPU time.
    OwnTime,
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

    /// The policy's answer at a yield point, a place between two requests.
    #[must_use]
    pub fn at_yield_point(&self, seen: &Observation) -> Decision {
        match self {
            Self::Auto => auto::at_yield_point(seen),
            Self::Native => native::at_yield_point(),
            Self::None | Self::Patience => none::at_yield_point(),
            Self::Nap => nap::at_yield_point(),
            Self::Capped { .. } => capped::at_yield_point(),
            Self::Budgeted => budgeted::at_yield_point(seen),
            Self::Age => age::at_yield_point(seen),
        }
    }

    /// The policy's answer before a request begins: [`Decision::Stay`] begins it.
    #[must_use]
    pub fn at_begin(&self, seen: &Observation) -> Decision {
        match self {
            Self::Auto => auto::at_begin(seen),
            Self::Patience => patience::at_begin(seen),
            Self::Native | Self::None | Self::Nap | Self::Capped { .. } | Self::Budgeted | Self::Age => {
                Decision::Stay
            }
        }
    }

    /// The answer at a yield point of a thread that does not tell its requests.
    pub(crate) fn at_bare_yield_point(&self, seen: &Observation) -> Decision {
        match self {
            Self::Auto => auto::at_bare_yield_point(seen),
            _ => self.at_yield_point(seen),
        }
    }

    pub(crate) const fn sight(&self) -> Sight {
        match self {
            Self::None | Self::Patience => Sight::Never,
            Self::Native | Self::Nap | Self::Capped { .. } => Sight::Nothing,
            Self::Auto | Self::Age => Sight::Others,
            Self::Budgeted => Sight::OwnTime,
        }
    }

    /// Below this alarm a yield point stays; 0 if there is no such number.
    pub(crate) const fn calm_below(&self, marks_requests: bool) -> u64 {
        match self.sight() {
            Sight::Never => u64::MAX,
            Sight::Others if marks_requests => self.alarm(),
            Sight::Nothing | Sight::Others | Sight::OwnTime => 0,
        }
    }

    /// From so many times the patience on that the oldest request takes, a yield may be due.
    const fn alarm(&self) -> u64 {
        if matches!(self, Self::Age) { 1 } else { auto::ALARM }
    }

    /// Whether it goes by the requests under way.
    pub(crate) const fn watches(&self) -> bool {
        matches!(self, Self::Auto | Self::Patience | Self::Age)
    }

    /// Sets the calling thread up for this policy. `None` if that takes knowledge of the kernel that is not there
    /// yet: to be tried again.
    pub(crate) fn prepare(self, marks_requests: bool) -> Option<ThreadSetup> {
        match self {
            Self::Native | Self::None | Self::Budgeted | Self::Patience | Self::Age => {
                Some(ThreadSetup::Untouched)
            }
            Self::Nap => Some(nap::prepare()),
            Self::Capped { slice } => Some(capped::prepare(slice)),
            Self::Auto => auto::prepare(marks_requests),
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Native => "native",
            Self::None => "none",
            Self::Nap => "nap",
            Self::Capped { .. } => "capped",
            Self::Budgeted => "budgeted",
            Self::Patience => "patience",
            Self::Age => "age",
        }
    }
}

/// The policy's name as used on command lines and in reports, for instance `auto` or `capped`.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_has_its_name_and_its_answer_where_nothing_is_the_matter() {
        let slice = Policy::DEFAULT_SLICE;
        let table = [
            (Policy::Auto, "auto", Decision::Stay),
            (Policy::Native, "native", Decision::Yield),
            (Policy::None, "none", Decision::Stay),
            (Policy::Nap, "nap", Decision::Nap),
            (Policy::Capped { slice }, "capped", Decision::Yield),
            (Policy::Budgeted, "budgeted", Decision::Stay),
            (Policy::Patience, "patience", Decision::Stay),
            (Policy::Age, "age", Decision::Stay),
        ];
        let calm = Observation::default();
        for (policy, name, answer) in table {
            assert_eq!(policy.to_string(), name);
            assert_eq!(policy.at_yield_point(&calm), answer, "{name}");
            assert_eq!(policy.at_begin(&calm), Decision::Stay, "{name}");
        }
    }
}
