//! The steps that run tests and count them.

use std::{io, process::Command};

use super::{Context, StepError, tools};
use crate::command::{cargo, run_observed};

pub(super) fn doc_tests(context: &mut Context) -> Result<(), StepError> {
    counted(
        context,
        &mut cargo(["test", "--workspace", "--no-fail-fast", "--doc"]),
        io::stdout(),
    )
}

/// Everything that `cargo test` runs but the doc tests, which are a step of their own.
pub(super) fn tests(context: &mut Context) -> Result<(), StepError> {
    let mut command = cargo(["test", "--workspace", "--no-fail-fast"]);
    command.args(["--lib", "--bins", "--tests", "--examples"]);
    // A test that needs PyMongo passes with a note where there is none; here it has to run.
    command.env("CEDE_REQUIRE_PYMONGO", "1");
    let python = tools::pymongo();
    if let Ok(python) = &python {
        command.env("CEDE_PYTHON", python);
    }
    // Likewise for the Node driver and mongosh, where there is a Node that they run on.
    let node_modules = tools::node_modules();
    if let Ok(Some(folder)) = &node_modules {
        command
            .env("CEDE_NODE_MODULES", folder)
            .env("CEDE_REQUIRE_NODE", "1");
    }
    // Likewise for QEMU and the kernels of the lab, where they can be fetched.
    let lab = tools::lab();
    if let Ok(Some(cache)) = &lab {
        command.env("CEDE_CACHE", cache).env("CEDE_REQUIRE_LAB", "1");
    }
    counted(context, &mut command, io::stdout())?;
    python?;
    node_modules?;
    lab?;
    Ok(())
}

/// Runs tests and adds their counts to those of this run.
pub(super) fn counted(
    context: &mut Context,
    command: &mut Command,
    sink: impl io::Write,
) -> Result<(), StepError> {
    let tally = context.tally.get_or_insert_default();
    let failed_before = tally.failed();
    let result = run_observed(command, sink, |line| tally.observe(line));
    if result.is_err() && tally.failed() == failed_before {
        tally.add_failure();
    }
    Ok(result?)
}

#[cfg(test)]
mod unit {
    use super::*;

    fn count(script: &str) -> (bool, String) {
        let mut context = Context::default();
        // Not to standard output: `check` counts what this test binary prints.
        let result = counted(&mut context, Command::new("sh").args(["-c", script]), io::sink());
        (result.is_ok(), context.tally.unwrap().to_string())
    }

    #[test]
    fn a_test_binary_that_dies_without_a_count_is_one_failure() {
        let report = "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'";
        assert_eq!(count(report), (true, "2 passed, 0 failed, 0 skipped".to_owned()));
        assert_eq!(
            count(&format!("{report}; exit 101")),
            (false, "2 passed, 1 failed, 0 skipped".to_owned())
        );
    }

    #[test]
    fn a_counted_failure_is_counted_once() {
        let script = "echo 'test result: FAILED. 1 passed; 2 failed; 0 ignored'; exit 101";
        assert_eq!(count(script), (false, "1 passed, 2 failed, 0 skipped".to_owned()));
    }
}
