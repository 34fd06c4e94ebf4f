//! The commands of the lab.

mod args;
mod console;
mod exec;
mod fetch;
mod list;
mod probe;
mod run;
mod shell;

use clap::Subcommand;
use lab::{Cache, kernels::KernelError, qemu::QemuError};

pub(crate) use self::args::{LabArgs, check_clock};
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Tell which kernels there are, and which of them are in the cache
    List(list::ListArgs),
    /// Get kernels and QEMU from Debian into the cache
    Fetch(fetch::FetchArgs),
    /// Run one cell on one kernel, with its console shown
    Run(Box<run::RunArgs>),
    /// Run the golden probes on kernels, and print them side by side
    Probe(probe::ProbeArgs),
    /// Run a command of this program in a guest, such as `probe --quick`, and print what it prints
    Exec(exec::ExecArgs),
    /// Boot a kernel with a shell on its console
    Shell(shell::ShellArgs),
}

pub(crate) fn run(command: &LabCommand) -> Result<(), Failure> {
    // Wherever it is to be, a cache that cannot be there is a matter of how this was called.
    let cache = Cache::of_user().map_err(Failure::usage)?;
    match command {
        LabCommand::List(args) => list::run(args, &cache),
        LabCommand::Fetch(args) => fetch::run(args, &cache),
        LabCommand::Run(args) => run::run(args, &cache),
        LabCommand::Probe(args) => probe::run(args, &cache),
        LabCommand::Exec(args) => exec::run(args, &cache),
        LabCommand::Shell(args) => shell::run(args, &cache),
    }
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Self {
        if error.is_usage() {
            Self::usage(error)
        } else {
            Self::run(error)
        }
    }
}

impl From<QemuError> for Failure {
    fn from(error: QemuError) -> Self {
        if error.is_usage() {
            Self::usage(error)
        } else {
            Self::run(error)
        }
    }
}
