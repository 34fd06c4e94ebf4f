use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::ToolError;
use crate::{
    command::{cargo, run},
    workspace,
};

/// A program from the package registry, in one version, so that every machine checks the same.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct CargoTool {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
}

impl CargoTool {
    /// The program, ready for arguments; it is installed first if it is neither on the path nor below `target/`.
    pub(in crate::check) fn command(self) -> Result<Command, ToolError> {
        let root = workspace::scratch("tools");
        let own = root.join("bin").join(self.name);
        let on_path = PathBuf::from(self.name);
        for program in [&on_path, &own] {
            if self.is_version_of(program) {
                return Ok(Command::new(program));
            }
        }
        let mut install = cargo(["install", self.name, "--locked", "--version", self.version]);
        install.arg("--root").arg(root);
        // Unoptimised, they are quick enough, and build in a fraction of the time.
        install
            .args(["--debug", "--quiet"])
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        println!("installing {} {}", self.name, self.version);
        run(&mut install)?;
        Ok(Command::new(own))
    }

    fn is_version_of(self, program: &Path) -> bool {
        let output = Command::new(program)
            .arg("--version")
            .stdin(Stdio::null())
            .output();
        // Some call themselves `cargo` there.
        output.is_ok_and(|output| {
            String::from_utf8_lossy(&output.stdout).split_whitespace().last() == Some(self.version)
        })
    }
}
