//! Parts of the toolchain that a minimal installation leaves out.

use std::process::{Command, Stdio};

use super::ToolError;
use crate::command::{cargo, run};

/// Adds rustfmt and clippy to the toolchain if it lacks them.
pub(super) fn ensure() -> Result<(), ToolError> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let present = cargo([subcommand, "--version"])
            .stdin(Stdio::null())
            .output()
            .is_ok_and(|output| output.status.success());
        if !present {
            run(Command::new("rustup").args(["component", "add", component]))?;
        }
    }
    Ok(())
}
