use std::io::{IsTerminal, Write, stderr};

/// Tells on standard error how far a command is: one line that is rewritten on a terminal, lines elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Progress {
    /// Says nothing.
    Quiet,
    /// Rewrites one line.
    Terminal,
    /// Prints lines.
    Lines,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        if quiet {
            Self::Quiet
        } else if stderr().is_terminal() {
            Self::Terminal
        } else {
            Self::Lines
        }
    }

    /// A step has begun.
    pub(crate) fn step(self, line: &str) {
        // Nothing depends on whether anybody sees it.
        let _unseen = match self {
            Self::Quiet => Ok(()),
            // Clears the rest of the line, which may have been longer.
            Self::Terminal => write!(stderr(), "\r{line}\x1b[K"),
            Self::Lines => writeln!(stderr(), "{line}"),
        };
    }

    /// How far the step is; only where a line can be rewritten.
    pub(crate) fn detail(self, line: &str) {
        if let Self::Terminal = self {
            self.step(line);
        }
    }

    /// Nothing more will follow.
    pub(crate) fn end(self) {
        if let Self::Terminal = self {
            let _unseen = write!(stderr(), "\r\x1b[K");
        }
    }
}
