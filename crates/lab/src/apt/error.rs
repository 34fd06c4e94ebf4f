use std::{io, path::PathBuf};

use thiserror::Error;

use crate::CacheError;

/// Why nothing could be fetched from Debian.
#[derive(Debug, Error)]
pub enum AptError {
    /// The programs are not there.
    #[error(
        "fetching needs apt-get and dpkg-deb (Debian or Ubuntu); elsewhere give --kernel the path of a vmlinuz, \
         and CEDE_QEMU that of qemu-system-x86_64"
    )]
    NoTools,
    /// Nothing to check signatures with.
    #[error("cannot check Debian's signatures: expected {expected} (package debian-archive-keyring)")]
    NoKeyring {
        /// Where it is looked for.
        expected: &'static str,
    },
    /// Neither the machine nor the user names a mirror.
    #[error(
        "this machine's apt names no Debian mirror; expected --debian-mirror URL, one that ends in /debian \
         (see https://www.debian.org/mirror/list)"
    )]
    NoMirror,
    /// The user names something else.
    #[error(
        "`{url}` is no Debian mirror; expected a URL that ends in /debian, such as http://mirror.example/debian"
    )]
    Mirror {
        /// What was named.
        url: String,
    },
    /// There is no list of packages, not even an old one.
    #[error("cannot read Debian's package lists: {line}")]
    Unreachable {
        /// What apt said.
        line: String,
    },
    /// A program failed.
    #[error("cannot {task}: {line}")]
    Failed {
        /// What it was to do.
        task: String,
        /// What it said, or how it ended.
        line: String,
    },
    /// The disk is full.
    #[error("no space left in {folder} ({what})")]
    NoSpace {
        /// A folder on that disk.
        folder: PathBuf,
        /// What found no room.
        what: String,
    },
    /// The system refused something else.
    #[error("cannot {task} {path}: {source}")]
    Io {
        /// What was to be done with it.
        task: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// There is no cache folder.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl AptError {
    /// Whether it was asked in a way that cannot be carried out.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoMirror | Self::Mirror { .. })
    }

    /// The system's error when it was to `task` the file or folder `path`.
    pub(crate) fn io(task: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace {
                folder: path.parent().map_or_else(|| path.clone(), Into::into),
                what: format!("to {task} {}", path.display()),
            },
            _ => Self::Io { task, path, source },
        }
    }
}
