//! `auto`: hold back where that helps, and never so many that a CPU or a share of it is lost.

use std::time::Duration;

use crate::decision::Decision;
use crate::era::{self, Kernel};
use crate::observation::{Observation, times};
use crate::policy::{Policy, patience};
use crate::slice::OwnSlice;
use crate::thread_setup::ThreadSetup;

/// So many requests that want a CPU stay under way for each CPU. One would do to keep it busy; but next to threads
/// that are not held back, the share of the CPU that the server gets is that of its threads that want it.
///
/// With several CPUs threads are not spread evenly: it takes more for none of them to run empty.
const WANTING_ON_ONE: f64 = 4.0;
const WANTING_PER_CPU: f64 = 6.0;

/// The part of all requests that always goes on, for the same reason.
const GO_ON: f64 = 0.4;

/// From this part on, of holds after which the one that was to gain is still not done, none is tried for a while.
const IN_VAIN: f64 = 0.8;

/// How long somebody must have waited for a yield to be worth its price, in mean times in the server. It comes to that
/// where requests may not be held back, because they wait for each other's locks and not for a CPU.
const DESPERATE: u32 = 10;

/// The same in patiences: before that, nobody looks.
pub(crate) const ALARM: u64 = 4;

pub(crate) fn at_begin(seen: &Observation) -> Decision {
    if seen.in_vain > IN_VAIN || (seen.admitted as f64) < must_go_on(seen) {
        return Decision::Stay;
    }
    patience::at_begin(seen)
}

/// How many others at least have to be under way before one is held back: a part of all, and enough that, of those that
/// are not blocked, each CPU has its number.
fn must_go_on(seen: &Observation) -> f64 {
    let part = GO_ON * (seen.admitted + seen.parked + 1) as f64;
    let wanting = if seen.cpus <= 1.0 {
        WANTING_ON_ONE
    } else {
        WANTING_PER_CPU * seen.cpus
    };
    (wanting / (1.0 - seen.blocked).max(0.01)).max(part)
}

pub(crate) fn at_yield_point(seen: &Observation) -> Decision {
    match seen.oldest {
        Some(oldest)
            if oldest.age > seen.mean.saturating_mul(DESPERATE)
                && !patience::is_short(seen.cost, oldest.cost)
                && !seen.allowance.is_zero() =>
        {
            Decision::Yield
        }
        _ => Decision::Stay,
    }
}

/// How long a thread may be away from its yield points, in mean times between two of them: shorter than the patience
/// with requests, since that time also holds the wait for the request and for the CPU before it.
pub(crate) const BARE_PATIENCE: f64 = 2.5;

/// Where all that is known are yield points: after work of some size, while somebody has waited for too long.
///
/// After a little work the thread goes on. It will be back soon, and among threads that yield and run by turns, those
/// that have had most of the CPU are the ones to stand back.
pub(crate) fn at_bare_yield_point(seen: &Observation) -> Decision {
    let much = seen.ran >= seen.cost;
    match seen.oldest {
        Some(oldest) if much && oldest.age > times(seen.mean, BARE_PATIENCE) && !seen.allowance.is_zero() => {
            Decision::Yield
        }
        _ => Decision::Stay,
    }
}

/// The slice where it ends on time and not at the next tick: less than the default with 8 CPUs. A shorter one costs
/// throughput there, since threads that hold a lock lose their CPU more often.
const EXACT_SLICE: Duration = Duration::from_millis(2);

/// The slice of threads that do not tell their requests. Yields are the only means there, and what they forfeit is what
/// lets the others pass: with less they gave too little.
const BARE_SLICE: Duration = Duration::from_micros(500);

/// A slice of its own, where the kernel takes one. Once the kernel is known, which takes the first session some 20 ms.
pub(crate) fn prepare(marks_requests: bool) -> Option<ThreadSetup> {
    era::try_current().map(|kernel| {
        slice_for(kernel, marks_requests).map_or(ThreadSetup::Untouched, |slice| {
            ThreadSetup::Slice(OwnSlice::set(slice))
        })
    })
}

fn slice_for(kernel: &Kernel, marks_requests: bool) -> Option<Duration> {
    let slice = match (kernel.exact_slices.holds(), marks_requests) {
        (Some(true), _) => EXACT_SLICE,
        (_, true) => Policy::DEFAULT_SLICE,
        (_, false) => BARE_SLICE,
    };
    kernel.custom_slice.then_some(slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Oldest;

    const MS: Duration = Duration::from_millis(1);

    /// 16 requests on one CPU, of which the oldest has waited for 10 times the mean.
    fn crowd(admitted: usize, parked: usize) -> Observation {
        Observation {
            mean: MS,
            oldest: Some(Oldest {
                age: 11 * MS,
                cost: MS / 5,
            }),
            cost: MS / 5,
            admitted,
            parked,
            cpus: 1.0,
            allowance: MS,
            ..Observation::default()
        }
    }

    #[test]
    fn a_part_always_goes_on() {
        assert_eq!(at_begin(&crowd(15, 0)), Decision::Park);
        assert_eq!(at_begin(&crowd(7, 8)), Decision::Park);
        assert_eq!(at_begin(&crowd(5, 10)), Decision::Stay);
    }

    #[test]
    fn each_cpu_keeps_its_requests() {
        let two_cpus = Observation {
            cpus: 2.0,
            ..crowd(7, 8)
        };
        assert_eq!(at_begin(&two_cpus), Decision::Stay);
        let half_a_cpu = Observation {
            cpus: 0.5,
            ..crowd(7, 8)
        };
        assert_eq!(at_begin(&half_a_cpu), Decision::Park);
    }

    /// Of 16 requests of which most wait for a lock, those that want a CPU are too few to hold any back.
    #[test]
    fn requests_that_wait_for_a_lock_are_not_held_back_for() {
        let locked = Observation {
            blocked: 0.8,
            ..crowd(15, 0)
        };
        assert_eq!(at_begin(&locked), Decision::Stay);
        assert_eq!(at_yield_point(&locked), Decision::Yield);
    }

    #[test]
    fn what_does_not_help_is_left_alone() {
        let in_vain = |part| Observation {
            in_vain: part,
            ..crowd(15, 0)
        };
        assert_eq!(at_begin(&in_vain(0.5)), Decision::Park);
        assert_eq!(at_begin(&in_vain(0.9)), Decision::Stay);
    }

    #[test]
    fn yields_are_for_the_desperate_and_within_the_budget() {
        assert_eq!(at_yield_point(&crowd(15, 0)), Decision::Yield);
        let patient = Observation {
            mean: 2 * MS,
            ..crowd(15, 0)
        };
        assert_eq!(at_yield_point(&patient), Decision::Stay);
        let spent = Observation {
            allowance: Duration::ZERO,
            ..crowd(15, 0)
        };
        assert_eq!(at_yield_point(&spent), Decision::Stay);
        let short = Observation {
            cost: MS / 20,
            ..crowd(15, 0)
        };
        assert_eq!(at_yield_point(&short), Decision::Stay);
    }

    #[test]
    fn without_requests_those_yield_that_have_worked() {
        let worked = Observation {
            ran: MS / 5,
            ..crowd(0, 0)
        };
        assert_eq!(at_bare_yield_point(&worked), Decision::Yield);
        let little = Observation {
            ran: MS / 20,
            ..crowd(0, 0)
        };
        assert_eq!(at_bare_yield_point(&little), Decision::Stay);
    }
}
