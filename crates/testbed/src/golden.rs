//! The golden probes: what this kernel's scheduler makes of threads that yield, in two experiments on one CPU.
//!
//! They run alike on a host and as the only process of a lab's guest. There, time is a count of instructions, so
//! nothing here may depend on addresses, process ids or the order of a hash map.

mod crowd;

use std::{io, time::Duration};

use cede::Policy;
use scenario::{Auto, Company, GiveUp, GiveUpRow, GoldenProbe, Host, YieldRow};
use thiserror::Error;

use self::crowd::{Crowd, Measured, Task};
use crate::{native::CpuList, server::background::Work};

/// Work between two times of giving up the CPU: about that of one small request.
const WORK_US: f64 = 100.0;

/// How to run the golden probes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoldenPlan {
    /// Length of each row's measurement, in seconds; there are eleven rows.
    pub seconds: f64,
    /// Speed of the work loop, in rounds per us of CPU.
    pub work_loops_per_us: Auto<f64>,
}

/// One second for each row, which is about 350 yields beside three hogs where a yield costs a slice.
impl Default for GoldenPlan {
    fn default() -> Self {
        Self {
            seconds: 1.0,
            work_loops_per_us: Auto::Auto,
        }
    }
}

/// Why there is no result.
#[derive(Debug, Error)]
pub enum GoldenError {
    /// The length of a row is no time.
    #[error("seconds={0}: expected a number above 0 and at most 3600")]
    Seconds(f64),
    /// Threads could not be started or bound to one CPU.
    #[error("the probe needs threads that are bound to one CPU: {0}")]
    System(#[from] io::Error),
}

/// Runs both experiments on the last CPU that this process may use; the result is about `host`, which is this one.
///
/// A kernel that has just booted is busy with itself for some seconds, which shows in the first rows: wait for it to be
/// done. Takes eleven times `plan.seconds` and a little more. All threads end by themselves, also those of a failed run.
///
/// # Errors
/// If the plan has no sensible length, or the system refuses a thread or its CPU.
pub fn run(plan: &GoldenPlan, host: Host) -> Result<GoldenProbe, GoldenError> {
    if !(plan.seconds > 0.0 && plan.seconds <= 3600.0) {
        return Err(GoldenError::Seconds(plan.seconds));
    }
    let cpus = CpuList::available()?;
    let (_, cpu) = cpus.split_at(cpus.len().saturating_sub(1));
    let work = Work::new(plan.work_loops_per_us);
    let crowd = Crowd {
        cpu: &cpu,
        window: Duration::from_secs_f64(plan.seconds),
        work,
    };
    let yields = Company::OF_YIELDS.into_iter().map(|company| {
        let task = Task {
            work_us: 0.0,
            policy: Policy::Native,
        };
        io::Result::Ok(yield_row(company, &crowd.run(company, task)?))
    });
    let yields = yields.collect::<Result<_, _>>()?;
    let cells = Company::OF_WORKERS
        .into_iter()
        .flat_map(|company| GiveUp::ALL.iter().map(move |&give_up| (company, give_up)));
    let give_up = cells.map(|(company, give_up)| {
        let task = Task {
            work_us: WORK_US,
            policy: policy(give_up),
        };
        io::Result::Ok(give_up_row(company, give_up, &crowd.run(company, task)?))
    });
    Ok(GoldenProbe {
        host,
        seconds: plan.seconds,
        yields,
        give_up: give_up.collect::<Result<_, _>>()?,
    })
}

fn policy(give_up: GiveUp) -> Policy {
    match give_up {
        GiveUp::None => Policy::None,
        GiveUp::Yield => Policy::Native,
        GiveUp::Nap => Policy::Nap,
    }
}

fn yield_row(company: Company, measured: &Measured) -> YieldRow {
    let counted = &measured.counted;
    YieldRow {
        company,
        yields: counted.yields,
        switched: counted.switched,
        mean_us: ratio(micros(counted.inside), counted.yields as f64),
        p50_us: micros(counted.histogram.quantile(0.5)),
        p99_us: micros(counted.histogram.quantile(0.99)),
        max_us: micros(measured.longest),
        share: measured.share(),
    }
}

fn give_up_row(company: Company, give_up: GiveUp, measured: &Measured) -> GiveUpRow {
    let counted = &measured.counted;
    let operations = counted.calls as f64;
    GiveUpRow {
        company,
        give_up,
        ops_per_s: ratio(operations, measured.elapsed.as_secs_f64()),
        switched_per_op: ratio(counted.switched as f64, operations),
        mean_wait_us: ratio(micros(counted.inside), operations),
        max_wait_us: micros(measured.longest),
        share: measured.share(),
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// 0 where nothing happened.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests;
