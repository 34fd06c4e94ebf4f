//! Kernels by name: Debian's own images, fetched when they are needed and kept in the cache, or any other image.

mod bzimage;
mod catalog;
mod debian_version;
mod error;
mod fetch;
mod index;
mod list;
mod package;
mod request;
mod selection;
mod stock;
mod version;

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

pub(crate) use self::catalog::Catalog;
pub use self::{
    error::KernelError,
    list::{Entry, list},
};
use self::{fetch::Source, request::Request, stock::Stocked};
use crate::Cache;

/// A kernel image that can be booted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kernel {
    /// What it was asked for by.
    pub name: String,
    /// The upstream version, such as `6.12.118`.
    pub version: String,
    /// The Debian package that it is from, with its version (`linux-image-6.1.0-57-cloud-amd64 6.1.192-3`); none for the
    /// user's own images.
    pub package: Option<String>,
    /// The bzImage.
    pub image: PathBuf,
    /// What `sched_yield(2)` does on it as far as its version tells, by the names of `cede::era::Era`; none if only the
    /// guest can tell.
    pub era: Option<String>,
}

/// What may be done to get a kernel.
pub enum Fetch<'a> {
    /// Only what is in the cache will do.
    Never,
    /// What is in the cache will do, even if there is a newer one; else it is fetched.
    IfMissing {
        /// Debian's mirror; this machine's unless given.
        mirror: Option<String>,
        /// Is told each step, in words.
        progress: &'a mut dyn FnMut(&str),
    },
    /// Nothing older will do than the newest one that Debian's package lists of today have.
    Newest {
        /// Debian's mirror; this machine's unless given.
        mirror: Option<String>,
        /// Is told each step, in words.
        progress: &'a mut dyn FnMut(&str),
    },
}

impl fmt::Debug for Fetch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, mirror) = match self {
            Self::Never => return f.write_str("Never"),
            Self::IfMissing { mirror, .. } => ("IfMissing", mirror),
            Self::Newest { mirror, .. } => ("Newest", mirror),
        };
        f.debug_struct(name)
            .field("mirror", mirror)
            .finish_non_exhaustive()
    }
}

/// The kernel that `name` means: a name or an era of the catalog, a version or series that Debian has, or the path of an
/// image.
///
/// # Errors
/// If it means none, or the kernel cannot be had.
pub fn find(cache: &Cache, name: &str, fetch: Fetch<'_>) -> Result<Kernel, KernelError> {
    let selection = match Request::parse(name)? {
        Request::Image(path) => return open(name, &path),
        Request::Listed(listed) => listed.selection.clone(),
        Request::Version(selection) => selection,
    };
    let any_cached = !matches!(fetch, Fetch::Newest { .. });
    if any_cached && let Some(cached) = stock::newest(cache, &selection)? {
        return Ok(kernel(name, cached));
    }
    let source = match fetch {
        Fetch::Never => {
            return Err(KernelError::NotCached {
                name: name.to_owned(),
            });
        }
        Fetch::IfMissing { mirror, progress } | Fetch::Newest { mirror, progress } => {
            Source { mirror, progress }
        }
    };
    let stocked = fetch::fetch(cache, name, &selection, any_cached, source)?;
    Ok(kernel(name, stocked))
}

/// Tells whether `name` can mean a kernel, as far as this can be known before anything is fetched.
///
/// # Errors
/// If it cannot, or is the path of a file that is no kernel.
pub fn check(name: &str) -> Result<(), KernelError> {
    match Request::parse(name)? {
        Request::Image(path) => open(name, &path).map(drop),
        Request::Listed(_) | Request::Version(_) => Ok(()),
    }
}

/// The names of all kernels in the catalog.
pub fn names() -> impl Iterator<Item = &'static str> {
    Catalog::get().kernels().iter().map(|kernel| kernel.name.as_str())
}

/// The names of the kernels in the standard comparison.
pub fn standard() -> impl Iterator<Item = &'static str> {
    let kernels = Catalog::get().kernels().iter();
    kernels
        .filter(|kernel| kernel.standard)
        .map(|kernel| kernel.name.as_str())
}

fn kernel(name: &str, stocked: Stocked) -> Kernel {
    let record = stocked.record;
    Kernel {
        name: name.to_owned(),
        era: Catalog::get().era_of(&record.package).map(ToOwned::to_owned),
        version: record.kernel,
        package: Some(format!("{} {}", record.package.name, record.package.version)),
        image: stocked.image,
    }
}

/// A kernel of the user's own.
fn open(name: &str, path: &Path) -> Result<Kernel, KernelError> {
    let image = fs::read(path).map_err(|source| KernelError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let version = bzimage::version(&image).map_err(|problem| KernelError::Image {
        path: path.to_owned(),
        problem,
    })?;
    Ok(Kernel {
        name: name.to_owned(),
        version: version.to_string(),
        package: None,
        // The one who boots it may be in another folder.
        image: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        era: None,
    })
}
