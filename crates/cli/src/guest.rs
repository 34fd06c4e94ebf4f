//! What this program does inside a guest of the lab: the native backend's work.

use std::{path::PathBuf, sync::atomic::AtomicBool, thread, time::Duration};

use lab::{Clock, Extras, guest::Work};
use scenario::{Auto, GoldenProbe, Run, Scenario};
use testbed::{
    golden::{self, GoldenPlan},
    native::{self, CpuList, CpuSplit, Native},
    server::background,
};

/// The work of a guest.
pub(crate) const WORK: Work = Work { run, probe };

/// Where the guest finds this program.
const PROGRAM: &str = "/init";
/// The client's `SCHED_FIFO` priority: above every thread of the server, as the interrupts of a network card are, and below the
/// kernel's own real-time threads.
const CLIENT_PRIORITY: u8 = 10;
/// An instruction takes 1 ns of virtual time.
const INSTRUCTIONS_PER_US: f64 = 1000.0;

fn run(run: &Run, clock: Clock, extras: Extras) -> Result<lab::Measured, String> {
    let available = CpuList::available().map_err(|error| error.to_string())?;
    // First of all, before the calibration: what the kernel still does after boot takes turns with it, on several CPUs.
    thread::sleep(Duration::from_secs_f64(run.scenario.settle_s));
    let loops_per_us = work_loops_per_us(run.scenario.work_loops_per_us, clock);
    let scenario = Scenario {
        work_loops_per_us: Auto::Given(loops_per_us),
        settle_s: 0.0,
        ..run.scenario.clone()
    };
    let backend = Native {
        program: PathBuf::from(PROGRAM),
        split: CpuSplit::new(&available, &scenario).map_err(|error| error.to_string())?,
        client_priority: Some(CLIENT_PRIORITY),
        trace: extras.trace,
    };
    let run = Run {
        scenario,
        ..run.clone()
    };
    let mut measured = backend
        .run(&run, &AtomicBool::new(false), |_| ())
        .map_err(|error| error.to_string())?;
    measured
        .outcome
        .notes
        .push(format!("1 us of work is {loops_per_us:.0} rounds of its loop"));
    Ok(lab::Measured {
        outcome: measured.outcome,
        raw: measured.raw,
        era: extras.era.then(|| native::host().era),
    })
}

fn probe(seconds: f64, clock: Clock) -> Result<GoldenProbe, String> {
    let plan = GoldenPlan {
        seconds,
        work_loops_per_us: Auto::Given(work_loops_per_us(Auto::Auto, clock)),
    };
    golden::run(&plan, native::host()).map_err(|error| error.to_string())
}

/// The speed of the work loop. Where time is a count of instructions, a round of the loop is a whole number of them: so the
/// speed is exact, whatever the interrupts of this kernel did to its calibration.
fn work_loops_per_us(given: Auto<f64>, clock: Clock) -> f64 {
    given.unwrap_or_else(|| {
        let measured = background::Work::new(Auto::Auto).rounds_per_us();
        if clock.is_deterministic() {
            INSTRUCTIONS_PER_US / (INSTRUCTIONS_PER_US / measured).round().max(1.0)
        } else {
            measured
        }
    })
}
