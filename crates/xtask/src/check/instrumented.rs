//! The steps that run tests of the library `cede` under watch: in every order of steps, and with every access to memory
//! checked.

use std::{io, process::Command};

use super::{Context, StepError, tests, tools};
use crate::{
    command::{capture, cargo, judge, run, shown},
    workspace,
};

/// Every instruction takes ten times as long or more: the stress test has fewer sessions then.
const LESS_STRESS: (&str, &str) = ("CEDE_STRESS_SESSIONS", "10");

/// Targets whose stable toolchains bring the runtime of the address sanitizer along.
const SANITIZED: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// Parts of the library that make no system calls, of which Miri knows few.
const WITHOUT_SYSTEM_CALLS: [&str; 5] = ["bucket::", "class::", "histogram::", "policy::", "spin::"];

/// Models count as tests, since no other step runs them.
pub(super) fn loom(context: &mut Context) -> Result<(), StepError> {
    let executed = |context: &Context| context.tally.map_or(0, |tally| tally.executed());
    let before = executed(context);
    // A build of its own: with this flag all of the crate's dependencies are other ones.
    let mut models = cargo(["test", "--release", "--package", "cede", "--lib", "--target-dir"]);
    models.arg(workspace::scratch("loom")).arg("gate::models");
    models.env("RUSTFLAGS", "--cfg loom");
    tests::counted(context, &mut models, io::stdout())?;
    if executed(context) == before {
        return Err(StepError::Result {
            command: format!("`{}`", shown(&models)),
            reason: "no model".to_owned(),
        });
    }
    Ok(())
}

pub(super) fn sanitizers() -> Result<(), StepError> {
    let target = host()?;
    if SANITIZED.contains(&target.as_str()) {
        let mut tests = cede_tests();
        tests.args(["--target", &target, "--target-dir"]);
        tests.arg(workspace::scratch("sanitizers"));
        // The pass is in every compiler, its flag in nightly ones alone, unless they are asked like this.
        tests.env("RUSTC_BOOTSTRAP", "1");
        tests.env("RUSTFLAGS", "-Zsanitizer=address");
        // A test leaks a request, to see that the others do without it.
        tests.env("ASAN_OPTIONS", "detect_leaks=0");
        run(&mut tests)?;
    } else {
        println!("AddressSanitizer is skipped: there is none for {target}");
    }
    println!(
        "ThreadSanitizer is skipped: it takes a standard library that is built with it, or reports races within that"
    );
    Ok(())
}

pub(super) fn valgrind() -> Result<(), StepError> {
    // Threads run by turns in there, and without the flag one that spins can keep its turn.
    let runner = [
        tools::valgrind()?,
        "--quiet",
        "--error-exitcode=1",
        "--fair-sched=yes",
    ];
    let runner = format!("target.'cfg(all())'.runner = {runner:?}");
    run(cede_tests().args(["--config", &runner]))?;
    Ok(())
}

pub(super) fn miri() -> Result<(), StepError> {
    if !tools::has_miri() {
        println!("Miri is skipped: this toolchain does not have it");
        return Ok(());
    }
    let mut tests = cargo(["miri", "test", "--package", "cede", "--lib", "--target-dir"]);
    tests.arg(workspace::scratch("miri")).arg("--");
    tests.args(WITHOUT_SYSTEM_CALLS);
    // Proptest asks for the working directory, and tries more cases than an interpreter has time for.
    tests.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    tests.env("PROPTEST_CASES", "8");
    run(&mut tests)?;
    Ok(())
}

fn cede_tests() -> Command {
    let mut tests = cargo(["test", "--package", "cede", "--lib", "--tests"]);
    tests.env(LESS_STRESS.0, LESS_STRESS.1);
    tests
}

/// The target that the toolchain builds for by itself.
fn host() -> Result<String, StepError> {
    let mut version = cargo(["--version", "--verbose"]);
    let (status, printed) = capture(&mut version)?;
    judge(&version, status)?;
    let printed = String::from_utf8_lossy(&printed);
    let host = printed.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| StepError::Result {
        command: format!("`{}`", shown(&version)),
        reason: "names no host".to_owned(),
    })
}
