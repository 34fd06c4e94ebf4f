//! The `cede` command: does this host's kernel make cooperative yields expensive, and what does it gain to change them?

mod args;
mod compare;
mod failure;
mod guest;
mod interrupt;
mod lab;
mod load;
mod output;
mod probe;
mod progress;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(
    name = "cede",
    version,
    about = "Measures what cooperative yields cost a thread-per-connection server on this kernel, and what changing them gains."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run variants side by side on a real server, and print who wins
    Compare(compare::CompareArgs),
    /// Run the server alone
    Serve(serve::ServeArgs),
    Load(load::LoadArgs),
    /// Tell what a yield costs on this kernel, and why
    Probe(probe::ProbeArgs),
    /// Real kernels in virtual machines
    #[command(subcommand)]
    Lab(lab::LabCommand),
}

fn main() -> ExitCode {
    if ::lab::guest::is_guest() {
        return ::lab::guest::main(guest::WORK);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    let result = match cli.command {
        Command::Compare(args) => compare::run(&args),
        Command::Serve(args) => serve::run(args),
        Command::Load(args) => load::run(&args),
        Command::Probe(args) => probe::run(&args),
        Command::Lab(command) => lab::run(&command),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
