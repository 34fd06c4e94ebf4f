use std::{fmt::Display, process::ExitCode};

/// Why a command ends without having done what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was asked in a way that cannot be carried out; exit status 2.
    Usage(String),
    /// The run failed; exit status 1.
    Run(String),
}

impl Failure {
    pub(crate) fn usage(error: impl Display) -> Self {
        Self::Usage(error.to_string())
    }

    pub(crate) fn run(error: impl Display) -> Self {
        Self::Run(error.to_string())
    }

    /// Prints the one line, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let (line, status) = match self {
            Self::Usage(line) => (line, 2),
            Self::Run(line) => (line, 1),
        };
        eprintln!("cede: {line}");
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
