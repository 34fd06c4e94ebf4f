use std::path::{Path, PathBuf};

use super::{
    KernelError,
    catalog::{Catalog, Listed},
    selection::Selection,
};

/// What the name of a kernel means.
#[derive(Debug)]
pub(crate) enum Request {
    /// A kernel of the catalog.
    Listed(&'static Listed),
    /// Whatever Debian has of a version or series.
    Version(Selection),
    /// An image of the user's.
    Image(PathBuf),
}

impl Request {
    /// Reads a name, without looking at anything but whether there is such a file.
    pub(crate) fn parse(name: &str) -> Result<Self, KernelError> {
        if let Some(listed) = Catalog::get().find(name) {
            return Ok(Self::Listed(listed));
        }
        if let Ok(wanted) = name.parse() {
            return Ok(Self::Version(Selection::of_version(wanted)));
        }
        if name.contains('/') || Path::new(name).is_file() {
            return Ok(Self::Image(name.into()));
        }
        Err(KernelError::Unknown {
            name: name.to_owned(),
        })
    }
}
