use std::{path::PathBuf, process::Command};

use super::{ToolError, debian};
use crate::{
    command::{capture, cargo, judge, run},
    workspace,
};

/// A kernel with cheap yields and one with dear ones.
const KERNELS: [&str; 2] = ["6.1", "6.12"];

/// The cache with the kernels and the QEMU that the lab's tests boot, fetched if need be; none on a machine without
/// Debian's tools to fetch them with.
pub(in crate::check) fn lab() -> Result<Option<PathBuf>, ToolError> {
    let cache = workspace::scratch("lab");
    if !debian::answers(Command::new("apt-get").arg("--version")) {
        println!(
            "kernels and QEMU for the lab come from Debian with apt-get, which is missing: its tests are skipped"
        );
        return Ok(None);
    }
    let cede = |arguments: &[&str]| {
        let mut command = cargo(["run", "--quiet", "--package", "cli", "--bin", "cede", "--", "lab"]);
        command.args(arguments).env("CEDE_CACHE", &cache);
        command
    };
    run(cede(&["fetch"]).args(KERNELS))?;
    let mut listed = list(&mut cede(&["list"]))?;
    if listed.contains("no QEMU") {
        println!(
            "QEMU 8 or later is missing: fetching Debian's into {}",
            cache.display()
        );
        run(&mut cede(&["fetch", "--qemu"]))?;
        listed = list(&mut cede(&["list"]))?;
    }
    print!("{listed}");
    Ok(Some(cache))
}

fn list(command: &mut Command) -> Result<String, ToolError> {
    let (status, printed) = capture(command)?;
    judge(command, status)?;
    Ok(String::from_utf8_lossy(&printed).into_owned())
}
