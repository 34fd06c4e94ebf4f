//! `cargo xtask check`: every step once, all of them even if one fails, and a count of the tests as the last line.
//! `cargo xtask release-check`: what matters for a release alone.

mod fuzz;
mod instrumented;
mod release;
mod smoke;
mod steps;
mod tally;
mod tests;
mod tools;
mod wiredtiger;

use std::{process::ExitCode, time::Instant};

use thiserror::Error;

use self::{
    steps::{STEPS, Step},
    tally::Tally,
    tools::ToolError,
};
use crate::{command::CommandError, workspace};

/// Exit status of wrong use, as in the `cede` command line.
const WRONG_USE: u8 = 2;

/// Why a step failed.
#[derive(Debug, Error)]
enum StepError {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("{command}: {reason}")]
    Result { command: String, reason: String },
    #[error("{path}: {source}")]
    Io { path: String, source: std::io::Error },
}

/// What the steps of one run share.
#[derive(Debug, Default)]
struct Context {
    /// Tests counted so far; `None` until a step runs tests.
    tally: Option<Tally>,
}

/// Prints the steps in the order in which they run.
pub(crate) fn list() -> ExitCode {
    for step in STEPS {
        println!("{:<10} {}", step.name, step.about);
    }
    ExitCode::SUCCESS
}

/// Runs the steps with these names, or all if there are none.
pub(crate) fn run(names: &[String]) -> ExitCode {
    let steps = match steps::select(names) {
        Ok(steps) => steps,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(WRONG_USE);
        }
    };
    if let Err(error) = enter_root() {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }

    let mut context = Context::default();
    let mut summary = Vec::new();
    let mut failures = Vec::new();
    for step in steps {
        let line = run_step(step, &mut context, &mut failures);
        summary.push(line);
    }

    println!("\n== summary");
    for line in summary {
        println!("{line}");
    }
    if context.tally.is_some_and(|tally| tally.executed() == 0) {
        failures.push("tests: none was executed".to_owned());
    }
    for failure in &failures {
        println!("failed: {failure}");
    }
    if let Some(tally) = context.tally {
        println!("{tally}");
    }
    if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Checks what is about to be released.
pub(crate) fn release() -> ExitCode {
    match enter_root().and_then(|()| release::run_all()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn enter_root() -> Result<(), StepError> {
    std::env::set_current_dir(workspace::root()).map_err(|source| StepError::Io {
        path: workspace::root().display().to_string(),
        source,
    })
}

/// Runs one step and gives its line of the summary.
fn run_step(step: &Step, context: &mut Context, failures: &mut Vec<String>) -> String {
    println!("\n== {}", step.name);
    let start = Instant::now();
    let result = (step.run)(context);
    let seconds = start.elapsed().as_secs_f64();
    let verdict = match result {
        Ok(()) => "ok",
        Err(error) => {
            failures.push(format!("{}: {error}", step.name));
            println!("== {} failed: {error}", step.name);
            "FAILED"
        }
    };
    println!("== {} {verdict} in {seconds:.1} s", step.name);
    format!("{:<10} {seconds:>7.1} s  {verdict}", step.name)
}
