//! A bounded run of every fuzz target, from the seeds that are checked in.

use std::fs;

use super::{StepError, tools};
use crate::{
    command::{capture, judge, run, shown},
    workspace,
};

/// Bounds of one target's run, whichever comes first, and of one input.
const BOUNDS: [&str; 4] = [
    "-runs=1000000",
    "-max_total_time=20",
    "-timeout=10",
    "-rss_limit_mb=1024",
];
/// A few lines of numbers at the end in place of one per discovery. Crashes are shown all the same.
const QUIET: [&str; 3] = ["-verbosity=0", "-print_funcs=0", "-print_final_stats=1"];

pub(super) fn run_all() -> Result<(), StepError> {
    let mut list = tools::FUZZ.command()?;
    list.arg("list");
    let (status, targets) = capture(&mut list)?;
    judge(&list, status)?;
    let targets = String::from_utf8_lossy(&targets);
    if targets.trim().is_empty() {
        return Err(StepError::Result {
            command: format!("`{}`", shown(&list)),
            reason: "no fuzz target".to_owned(),
        });
    }
    // All of them, even after a crash.
    let results: Vec<_> = targets.lines().map(run_target).collect();
    results.into_iter().collect()
}

fn run_target(target: &str) -> Result<(), StepError> {
    let corpus = workspace::scratch("fuzz-corpus").join(target);
    fs::create_dir_all(&corpus).map_err(|source| StepError::Io {
        path: corpus.display().to_string(),
        source,
    })?;
    let mut fuzz = tools::FUZZ.command()?;
    // No sanitizer: the code under test is safe Rust, and coverage alone needs no unstable compiler flag.
    fuzz.args([
        "run",
        "--sanitizer",
        "none",
        "--codegen-units",
        "16",
        "--target-dir",
    ])
    .arg(workspace::scratch("fuzz"));
    // The first directory receives what is found, the second one is only read.
    fuzz.arg(target).arg(corpus).arg(format!("fuzz/seeds/{target}"));
    fuzz.arg("--").args(BOUNDS).args(QUIET);
    Ok(run(&mut fuzz)?)
}
