use scenario::{Outcome, Run, Scenario, SetError, Variant, Workload};
use serde::{Deserialize, Serialize};

use crate::Clock;

/// What a guest is to do. It finds this in its file system as [`Order::PATH`].
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub(crate) enum Order {
    /// Run one cell.
    Run(RunOrder),
    /// Run the golden probes, each of their rows for so many seconds.
    Probe {
        /// Length of a row, in seconds.
        seconds: f64,
        /// What time is.
        clock: Clock,
    },
    /// Run this program with these arguments.
    Program {
        /// What follows the program's name.
        args: Vec<String>,
        /// Whether the scheduler's tunables are those of 8 CPUs, as in runs, or the kernel's own.
        pinned: bool,
    },
    /// Come up, and end.
    Nothing,
    /// Give the console to a shell.
    Shell,
}

/// A [`Run`] in a form that can be written and read.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub(crate) struct RunOrder {
    /// Every key of the scenario, as `KEY=VALUE`.
    settings: Vec<String>,
    workload: Workload,
    variant: Variant,
    /// What is wanted beside the measurement.
    pub(crate) extras: Extras,
    /// What time is.
    pub(crate) clock: Clock,
}

/// What a guest tells of a run only when it is asked, because it costs time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extras {
    /// Records scheduler events during the measured part.
    pub trace: bool,
    /// Finds out what `sched_yield` does on this kernel, after the run.
    pub era: bool,
}

/// What a guest tells of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// What the native backend made of it.
    pub outcome: Outcome,
    /// Everything that the client and the server counted: the client's whole output.
    pub raw: String,
    /// What `sched_yield` was seen to do, if that was asked for.
    pub era: Option<String>,
}

/// What came of a program that a guest ran.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Printed {
    /// Whether it ended as it does when all is well.
    pub success: bool,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// What a guest says of itself when it is up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Guest {
    /// What `uname -r` prints.
    pub release: String,
    /// What `uname -v` prints: the build's number, time and preemption model.
    pub version: String,
    /// The scheduler's tunables in effect, `NAME=VALUE`.
    pub tunables: Vec<String>,
}

impl Order {
    /// Where the guest finds it.
    pub(crate) const PATH: &'static str = "/cede/order.json";
}

impl RunOrder {
    pub(crate) fn new(run: &Run, extras: Extras, clock: Clock) -> Self {
        Self {
            settings: run.scenario.pairs().collect(),
            workload: run.workload,
            variant: run.variant,
            extras,
            clock,
        }
    }

    pub(crate) fn run(&self) -> Result<Run, SetError> {
        let mut scenario = Scenario::default();
        for pair in &self.settings {
            scenario.set(pair)?;
        }
        Ok(Run {
            scenario,
            workload: self.workload,
            variant: self.variant,
        })
    }
}

impl Guest {
    /// One sentence about the scheduler's tunables.
    pub(crate) fn describe(&self) -> String {
        let tunables = self.tunables.join(", ");
        format!("tunables as on 8 CPUs: {tunables}")
    }
}

#[cfg(test)]
mod tests {
    use scenario::{Auto, Backend};

    use super::*;

    #[test]
    fn a_run_survives_its_way_into_the_guest() {
        let run = Run {
            scenario: Scenario {
                cpus: Auto::Given(8),
                background_us_per_update: 0.1,
                seed: u64::MAX,
                ..Backend::Lab.scenario()
            },
            workload: Workload::Read100,
            variant: Variant::Capped,
        };
        let order = Order::Run(RunOrder::new(&run, Extras::default(), Clock::Tcg));
        let text = serde_json::to_vec(&order).unwrap();
        let Order::Run(read) = serde_json::from_slice(&text).unwrap() else {
            panic!("another order: {order:?}")
        };
        assert_eq!(read.run().unwrap(), run);
        assert_eq!(read.clock, Clock::Tcg);
    }
}
