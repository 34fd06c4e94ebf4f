//! The storage engine that is an option: lints and tests with it, where its library can be had.

use std::io;

use super::{Context, StepError, tests, tools};
use crate::command::{cargo, run};

/// The packages that it changes, with it.
const WITH_IT: [&str; 6] = [
    "--package",
    "testbed",
    "--package",
    "cli",
    "--features",
    "cli/wiredtiger",
];

pub(super) fn check(context: &mut Context) -> Result<(), StepError> {
    if let Err(reason) = tools::wiredtiger() {
        println!("the engine wiredtiger is skipped: {reason}");
        return Ok(());
    }
    run(cargo(["clippy"])
        .args(WITH_IT)
        .args(["--all-targets", "--", "-D", "warnings"]))?;
    let mut units = cargo(["test"]);
    units.args(WITH_IT).args(["--lib", "storage::wiredtiger"]);
    tests::counted(context, &mut units, io::stdout())?;
    // What it has in common with other engines, and what is its own.
    let mut whole = cargo(["test", "--no-fail-fast"]);
    whole.args(WITH_IT);
    for file in ["engines", "durability", "mongodb_driver", "wiredtiger"] {
        whole.args(["--test", file]);
    }
    tests::counted(context, &mut whole, io::stdout())
}
