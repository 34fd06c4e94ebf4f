//! `cargo xtask demo`: a first result, from a clean checkout, in about a minute after the build.

use std::{
    ffi::OsString,
    process::{Command, ExitCode},
};

use crate::{command, workspace};

/// Beside a thread that is always busy a yield's price shows on any machine. In the default scenario the background wants
/// less than its share, and what is left of the price drowns in the noise of a small, shared machine.
///
/// Four variants, three repeats of four seconds each, plus a second of warm-up per run: about a minute.
const COMPARE: &str = "compare --workload ycsb_50read50update \
    --variant baseline --variant patch-f --variant no-yield --variant capped --seconds 4 --repeat 3 --scenario";
const SCENARIO: &str = "scenarios/busy-neighbour.toml";

/// Builds `cede` in release mode and runs the comparison, with `extra` at the end of its arguments.
///
/// Paths in `extra` are those of the caller's directory. The exit status is that of the comparison.
pub(crate) fn run(extra: &[OsString]) -> ExitCode {
    if let Err(error) = command::run(&mut release_cede("build")) {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    let mut compare = release_cede("run");
    compare
        .args(["--quiet", "--"])
        .args(COMPARE.split_whitespace())
        .arg(workspace::root().join(SCENARIO))
        .args(extra);
    match compare.status() {
        Ok(status) => status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            eprintln!("{}: {error}", command::shown(&compare));
            ExitCode::FAILURE
        }
    }
}

fn release_cede(subcommand: &str) -> Command {
    let mut command = command::cargo([subcommand, "--release", "--package", "cli", "--bin", "cede"]);
    command
        .arg("--manifest-path")
        .arg(workspace::root().join("Cargo.toml"));
    command
}
