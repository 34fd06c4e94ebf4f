//! The spin-wait probe: threads that wait for each other in a tight loop, by `cede::yield_now`, by `sched_yield` and by
//! a futex.
//!
//! It runs alike on a host and as the only process of a lab's guest.

mod meeting;
mod run;
mod wait;

use std::{io, time::Duration};

use scenario::{Auto, Host, Meeting, SpinProbe, SpinRow, WaitBy};
use thiserror::Error;

use self::run::Room;
use crate::{native::CpuList, server::background::Work};

/// How to run the probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinPlan {
    /// Passes of each row.
    pub passes: u64,
    /// Time after which a row ends with fewer, in seconds; there are up to 18 rows.
    pub limit_s: f64,
}

/// Ten thousand passes, which take 0.1 s where a pass takes 10 us; where it takes two slices, the limit ends the row.
impl Default for SpinPlan {
    fn default() -> Self {
        Self {
            passes: 10_000,
            limit_s: 2.0,
        }
    }
}

/// Why there is no result.
#[derive(Debug, Error)]
pub enum SpinError {
    /// No pass at all, or no time for one.
    #[error("passes={0} limit_s={1}: expected at least 1, and a number above 0 and at most 3600")]
    Plan(u64, f64),
    /// Threads could not be started or bound to their CPUs.
    #[error("the probe needs threads that are bound to CPUs: {0}")]
    System(#[from] io::Error),
}

/// Runs every meeting on the last CPUs that this process may use; the result is about `host`, which is this one. Meetings
/// on more CPUs than there are are left out.
///
/// All threads end by themselves, also those of a failed run.
///
/// # Errors
/// If the plan makes no sense, or the system refuses a thread or its CPU.
pub fn run(plan: &SpinPlan, host: Host) -> Result<SpinProbe, SpinError> {
    if plan.passes == 0 || !(plan.limit_s > 0.0 && plan.limit_s <= 3600.0) {
        return Err(SpinError::Plan(plan.passes, plan.limit_s));
    }
    // Once, so that no row is the one in which `cede` finds out.
    let _known = cede::era::current();
    let available = CpuList::available()?;
    let work = Work::new(Auto::Auto);
    let mut rows = Vec::new();
    for &meeting in Meeting::ALL {
        let Some(others) = available.len().checked_sub(meeting.cpus()) else {
            continue;
        };
        let (_, cpus) = available.split_at(others);
        for busy in [false, true] {
            let room = Room {
                meeting,
                cpus: &cpus,
                busy: busy.then_some(work),
                passes: plan.passes,
                limit: Duration::from_secs_f64(plan.limit_s),
            };
            let mut of_meeting = Vec::new();
            for &wait_by in WaitBy::ALL {
                of_meeting.push(room.run(wait_by)?.row(meeting, busy, wait_by));
            }
            compare(&mut of_meeting);
            rows.append(&mut of_meeting);
        }
    }
    Ok(SpinProbe {
        host,
        passes: plan.passes,
        limit_s: plan.limit_s,
        rows,
    })
}

/// Sets the ratios of rows that differ in the way to wait alone.
fn compare(rows: &mut [SpinRow]) {
    let times: Vec<_> = rows.iter().map(|row| (row.wait_by, row.us_per_pass)).collect();
    for row in rows {
        let others = times.iter().filter(|(wait_by, _)| *wait_by != row.wait_by);
        row.ratio = row.us_per_pass / others.map(|(_, us)| *us).fold(f64::INFINITY, f64::min);
    }
}

#[cfg(test)]
mod tests;
