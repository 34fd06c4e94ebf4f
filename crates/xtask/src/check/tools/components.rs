//! Parts of the toolchain that a minimal installation leaves out.

use std::process::{Command, Stdio};

use super::ToolError;
use crate::command::{cargo, run};

/// Adds rustfmt and clippy to the toolchain if it lacks them.
pub(super) fn ensure() -> Result<(), ToolError> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !has(subcommand) {
            run(Command::new("rustup").args(["component", "add", component]))?;
        }
    }
    Ok(())
}

/// Whether the toolchain has Miri, which comes with nightly ones alone and is not added.
pub(in crate::check) fn has_miri() -> bool {
    has("miri")
}

fn has(subcommand: &str) -> bool {
    cargo([subcommand, "--version"])
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success())
}
