//! Development tasks. `cargo xtask check` is the one front door for every check; `cargo xtask release-check` comes before a
//! release, and `cargo xtask demo` shows a result.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program talks to its user"
)]

mod check;
mod command;
mod demo;
mod workspace;

use std::{ffi::OsString, process::ExitCode};

use clap::{Parser, Subcommand};

/// Development tasks of the cede workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Builds the `cede` binary in release mode and compares four variants for about a minute
    Demo {
        /// Further arguments of `cede compare`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        compare: Vec<OsString>,
    },
    /// Checks that the crate `cede` can be packaged, and that its version says what changed since the last release
    ReleaseCheck,
    /// Installs what is missing, then runs every check; the last line counts the tests
    Check {
        /// List the steps and do nothing else
        #[arg(long)]
        list: bool,
        /// Run only these steps
        #[arg(value_name = "STEP")]
        steps: Vec<String>,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().task {
        Task::Demo { compare } => demo::run(&compare),
        Task::ReleaseCheck => check::release(),
        Task::Check { list: true, .. } => check::list(),
        Task::Check { list: false, steps } => check::run(&steps),
    }
}
