use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::StorageError;

/// Where a durable engine's files are.
#[derive(Debug)]
pub enum Folder {
    /// In a new folder that is removed when the engine is dropped.
    Temporary,
    /// In a folder that is made if needed, and kept.
    Kept(PathBuf),
}

/// A folder that is there and can be written, for as long as this lives.
#[derive(Debug)]
pub(super) struct OpenFolder {
    path: PathBuf,
    _temporary: Option<TempDir>,
}

impl Folder {
    /// Makes it if needed.
    pub(super) fn open(self) -> Result<OpenFolder, StorageError> {
        match self {
            Self::Temporary => {
                let folder = tempfile::Builder::new()
                    .prefix("cede-")
                    .tempdir()
                    .map_err(|source| unusable(&std::env::temp_dir(), source))?;
                Ok(OpenFolder {
                    path: folder.path().to_owned(),
                    _temporary: Some(folder),
                })
            }
            Self::Kept(path) => {
                // A store's own error for a folder that cannot be written does not name it.
                std::fs::create_dir_all(&path)
                    .and_then(|()| tempfile::tempfile_in(&path))
                    .map_err(|source| unusable(&path, source))?;
                Ok(OpenFolder {
                    path,
                    _temporary: None,
                })
            }
        }
    }
}

impl OpenFolder {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn unusable(path: &Path, source: std::io::Error) -> StorageError {
    StorageError::Folder {
        path: path.display().to_string(),
        source,
    }
}
