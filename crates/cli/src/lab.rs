//! The commands of the lab.

mod run;

use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Run one cell on one kernel
    Run(run::RunArgs),
}

pub(crate) fn run(command: LabCommand) -> Result<(), Failure> {
    match command {
        LabCommand::Run(args) => run::run(&args),
    }
}
