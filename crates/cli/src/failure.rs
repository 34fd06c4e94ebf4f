use std::{fmt::Display, process::ExitCode};

use clap::error::ErrorKind;

use crate::output;

/// Exit status where a command was asked in a way that cannot be carried out.
const WRONG_USE: u8 = 2;
/// What shells report of a program that a signal has ended, 128 and its number; SIGPIPE is 13 (signal(7)).
const ENDED_BY_SIGPIPE: u8 = 128 + 13;

/// Why a command ends without having done what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was asked in a way that cannot be carried out; exit status 2.
    Usage(String),
    /// The run failed; exit status 1.
    Run(String),
    /// The reader of standard output has closed it; exit status as of a program that SIGPIPE has ended.
    NobodyReads,
}

impl Failure {
    pub(crate) fn usage(error: impl Display) -> Self {
        Self::Usage(error.to_string())
    }

    pub(crate) fn run(error: impl Display) -> Self {
        Self::Run(error.to_string())
    }

    /// Prints the one line, unless it is of no interest to anybody, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let status = match self {
            Self::Usage(line) => {
                output::tell(line);
                WRONG_USE
            }
            Self::Run(line) => {
                output::tell(line);
                1
            }
            Self::NobodyReads => ENDED_BY_SIGPIPE,
        };
        ExitCode::from(status)
    }
}

/// What the command-line parser has to say: help and versions as they are, errors as one line.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Printing fails only if nobody reads.
        let _unread = error.print();
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Whoever says nothing has not said anything wrong: the help, whole, as for --help.
        let _unread = error.print();
        return ExitCode::from(WRONG_USE);
    }
    let rendered = error.render().to_string();
    let before_usage = rendered
        .split("\n\n")
        .filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more"));
    let line = before_usage.collect::<Vec<_>>().join(" ");
    let line = line
        .trim_start_matches("error: ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    Failure::Usage(format!("{line} (see `cede --help`)")).report()
}
