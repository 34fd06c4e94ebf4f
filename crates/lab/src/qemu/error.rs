use std::path::PathBuf;

use thiserror::Error;

use crate::{AptError, CacheError};

/// Why there is no QEMU.
#[derive(Debug, Error)]
pub enum QemuError {
    /// The one that `CEDE_QEMU` names will not do.
    #[error("cannot use {program}, which CEDE_QEMU names: {problem}")]
    Named {
        /// The program.
        program: PathBuf,
        /// Why not.
        problem: String,
    },
    /// There is none.
    #[error(
        "needs QEMU: expected `cede lab fetch --qemu` before, qemu-system-x86_64 on the path, or its path in CEDE_QEMU{}",
        too_old.as_ref().map_or_else(String::new, |problem| format!(" (the one on the path will not do: {problem})"))
    )]
    Missing {
        /// Why the one on the search path will not do, if there is one.
        too_old: Option<String>,
    },
    /// The one that was fetched does not run here.
    #[error("the QEMU that was fetched does not run on this machine: {problem}")]
    DoesNotRun {
        /// What happened.
        problem: String,
    },
    /// It cannot be fetched.
    #[error(transparent)]
    Apt(#[from] AptError),
    /// There is no cache folder.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl QemuError {
    /// Whether it was asked for in a way that cannot be carried out, rather than that something failed.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Named { .. } => true,
            Self::Apt(error) => error.is_usage(),
            Self::Missing { .. } | Self::DoesNotRun { .. } | Self::Cache(_) => false,
        }
    }
}
