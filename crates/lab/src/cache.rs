use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// The folder in which the lab keeps kernels, QEMU and the records of its runs. It may be removed at any time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

/// Why there is no cache folder.
#[derive(Debug, Error)]
pub enum CacheError {
    /// No variable of the environment says where it is to be.
    #[error("no place for kernels: expected CEDE_CACHE, XDG_CACHE_HOME or HOME to name a folder")]
    Nowhere,
    /// It cannot be created.
    #[error("cannot use the cache folder {folder}: {source}")]
    Unusable {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Cache {
    /// The folder `CEDE_CACHE`, or else `cede` in the user's cache folder. It is created if need be.
    ///
    /// # Errors
    /// If the environment names no folder, or it cannot be created.
    pub fn of_user() -> Result<Self, CacheError> {
        let folder = |name: &str| {
            env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let root = folder("CEDE_CACHE")
            .or_else(|| folder("XDG_CACHE_HOME").map(|caches| caches.join("cede")))
            .or_else(|| folder("HOME").map(|home| home.join(".cache/cede")))
            .ok_or(CacheError::Nowhere)?;
        Self::at(&root)
    }

    /// The cache in the folder `root`, which is created if need be.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn at(root: &Path) -> Result<Self, CacheError> {
        let cache = Self {
            root: std::path::absolute(root).unwrap_or_else(|_| root.to_owned()),
        };
        cache.folder("")?;
        Ok(cache)
    }

    /// The folder `name` in it, which is created if need be.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn folder(&self, name: &str) -> Result<PathBuf, CacheError> {
        let folder = self.root.join(name);
        fs::create_dir_all(&folder).map_err(|source| CacheError::Unusable {
            folder: folder.clone(),
            source,
        })?;
        Ok(folder)
    }
}
