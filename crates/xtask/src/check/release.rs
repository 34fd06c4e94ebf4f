//! What has to hold for a release of the library `cede`, and for nothing else.

use std::process::Command;

use super::{StepError, tools};
use crate::command::{capture, cargo, judge, run};

/// Releases are tagged with these.
const TAGS: &str = "v[0-9]*";

pub(super) fn run_all() -> Result<(), StepError> {
    run(&mut cargo(["package", "--package", "cede", "--list"]))?;
    // What a dry run of publishing does, but for questions to the registry: it works without a network.
    run(&mut cargo(["package", "--package", "cede", "--offline"]))?;
    let Some(tag) = last_release()? else {
        println!("no tag {TAGS} yet: there is no earlier release to compare the interface with");
        return Ok(());
    };
    println!("comparing the interface with {tag}");
    run(tools::SEMVER_CHECKS
        .command()?
        .args(["semver-checks", "--package", "cede", "--baseline-rev"])
        .arg(tag))?;
    Ok(())
}

/// The last tag of a release that this commit builds on.
fn last_release() -> Result<Option<String>, StepError> {
    let mut tags = Command::new("git");
    tags.args([
        "tag",
        "--list",
        "--merged",
        "HEAD",
        "--sort=-version:refname",
        TAGS,
    ]);
    let (status, listed) = capture(&mut tags)?;
    judge(&tags, status)?;
    Ok(String::from_utf8_lossy(&listed).lines().next().map(str::to_owned))
}
