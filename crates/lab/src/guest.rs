//! The guest's side: what `cede` does as the first process of a machine that the lab has booted.

mod prepare;
mod serial;
mod shell;
mod tunables;

use std::{
    env, fs,
    path::Path,
    process::{Command, ExitCode},
    thread,
    time::Duration,
};

use rustix::system::{RebootCommand, reboot};
use scenario::{GoldenProbe, Run};
use serde::Serialize;

use self::serial::Serial;
use crate::{
    Clock,
    order::{Extras, Guest, Measured, Order, Printed},
};

/// Time for the kernel to finish what it does after boot, before a probe: one thread of it is a competitor that never
/// yields.
const SETTLE: Duration = Duration::from_secs(5);

/// How the guest does what it is ordered. The room that holds the measuring code hands this over.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Runs one cell.
    pub run: fn(&Run, Clock, Extras) -> Result<Measured, String>,
    /// Runs the golden probes, each of their rows for so many seconds.
    pub probe: fn(f64, Clock) -> Result<GoldenProbe, String>,
}

/// Whether this process is the first one of a guest.
#[must_use]
pub fn is_guest() -> bool {
    std::process::id() == 1 && Path::new(Order::PATH).exists()
}

/// Does what the guest is ordered, reports it over the serial line and switches the machine off. Returns only if that
/// fails.
#[must_use]
pub fn main(work: Work) -> ExitCode {
    let mut serial = match prepare::devices().and_then(|()| Serial::open()) {
        Ok(serial) => serial,
        Err(error) => return give_up(&error.to_string()),
    };
    let told = obey(work, &mut serial);
    if let Err(error) = told.or_else(|reason| serial.send("failure", &reason)) {
        return give_up(&error.to_string());
    }
    match reboot(RebootCommand::PowerOff) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => give_up(&error.to_string()),
    }
}

fn obey(work: Work, serial: &mut Serial) -> Result<(), String> {
    let order = fs::read(Order::PATH).map_err(|error| error.to_string())?;
    let order: Order = serde_json::from_slice(&order).map_err(|error| error.to_string())?;
    prepare::system().map_err(|error| error.to_string())?;
    // The golden probes are about the kernel as it is.
    if !matches!(order, Order::Probe { .. } | Order::Program { pinned: false, .. }) {
        tunables::pin().map_err(|error| error.to_string())?;
    }
    let system = rustix::system::uname();
    tell(
        serial,
        "guest",
        &Guest {
            release: system.release().to_string_lossy().into_owned(),
            version: system.version().to_string_lossy().into_owned(),
            tunables: tunables::in_effect(),
        },
    )?;
    match order {
        Order::Run(order) => {
            let run = order.run().map_err(|error| error.to_string())?;
            tell(serial, "run", &(work.run)(&run, order.clock, order.extras)?)
        }
        Order::Probe { seconds, clock } => {
            thread::sleep(SETTLE);
            tell(serial, "probe", &(work.probe)(seconds, clock)?)
        }
        Order::Program { args, .. } => {
            thread::sleep(SETTLE);
            let program = env::current_exe().map_err(|error| error.to_string())?;
            let output = Command::new(program).args(args).output();
            let output = output.map_err(|error| error.to_string())?;
            tell(
                serial,
                "program",
                &Printed {
                    success: output.status.success(),
                    stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
                    stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
                },
            )
        }
        Order::Nothing => Ok(()),
        Order::Shell => shell::run().map_err(|error| error.to_string()),
    }
}

fn tell(serial: &mut Serial, kind: &str, what: &impl Serialize) -> Result<(), String> {
    serial.send(kind, what).map_err(|error| error.to_string())
}

/// The last resort of a guest that cannot report: a line on the console, and the end, at which the kernel panics.
#[allow(clippy::print_stderr, reason = "the console is all that is left")]
fn give_up(reason: &str) -> ExitCode {
    eprintln!("cede: the guest gives up: {reason}");
    ExitCode::FAILURE
}
