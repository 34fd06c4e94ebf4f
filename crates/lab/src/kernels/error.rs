use std::{io, path::PathBuf};

use thiserror::Error;

use super::catalog::Catalog;
use crate::{AptError, CacheError};

/// Why there is no such kernel.
#[derive(Debug, Error)]
pub enum KernelError {
    /// It is neither a name nor anything else that means a kernel.
    #[error(
        "no kernel `{name}`; expected one of {}, a version such as 6.12.101, or the path of a vmlinuz",
        names()
    )]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// Debian has it no more, or never had.
    #[error("Debian has no kernel {name}; expected one of {known}")]
    NotInDebian {
        /// What was asked for.
        name: String,
        /// What there is of its series, or else of others.
        known: String,
    },
    /// It would have to be fetched first.
    #[error("kernel {name} is not in the cache; expected `cede lab fetch {name}` before")]
    NotCached {
        /// What was asked for.
        name: String,
    },
    /// The file cannot be read.
    #[error("cannot read the kernel {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is no kernel.
    #[error("{path} is no kernel: {problem}")]
    Image {
        /// The file.
        path: PathBuf,
        /// What was expected.
        problem: &'static str,
    },
    /// What was fetched holds no kernel.
    #[error("package {package} holds no kernel: {problem}")]
    Package {
        /// Debian's package.
        package: String,
        /// What was expected.
        problem: &'static str,
    },
    /// It cannot be fetched.
    #[error(transparent)]
    Apt(#[from] AptError),
    /// There is no cache folder.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl KernelError {
    /// Whether it was asked for in a way that cannot be carried out, rather than that something failed.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Unknown { .. }
            | Self::NotInDebian { .. }
            | Self::Unreadable { .. }
            | Self::Image { .. } => true,
            Self::Apt(error) => error.is_usage(),
            Self::NotCached { .. } | Self::Package { .. } | Self::Cache(_) => false,
        }
    }
}

/// The names and eras of the catalog.
fn names() -> String {
    let kernels = Catalog::get().kernels();
    let mut names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    for kernel in kernels {
        if !names.contains(&kernel.era.as_str()) {
            names.push(&kernel.era);
        }
    }
    names.join(", ")
}
