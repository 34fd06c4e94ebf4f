use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{Scenario, SetError};

/// Why a scenario file could not be used.
#[derive(Debug, Error)]
pub enum FileError {
    /// The file could not be read.
    #[error("cannot read the scenario {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{}: not TOML: {}", path.display(), .source.message())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The parser's error.
        source: Box<toml::de::Error>,
    },
    /// A key is unknown or does not take its value.
    #[error("{}: {source}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: SetError,
    },
}

impl Scenario {
    /// Applies the keys of a TOML file, the same as for `--set`, on top of this scenario.
    ///
    /// # Errors
    /// Names the file and says what was expected if it cannot be read, is not TOML, or holds an unknown key or a
    /// value that a key does not take.
    pub fn apply_file(&mut self, path: &Path) -> Result<(), FileError> {
        let text = std::fs::read_to_string(path).map_err(|source| FileError::Read {
            path: path.to_owned(),
            source,
        })?;
        let table: toml::Table = text.parse().map_err(|source| FileError::Syntax {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        for (key, value) in &table {
            let value = match value {
                toml::Value::String(word) => word.clone(),
                other => other.to_string(),
            };
            self.set_key(key, &value).map_err(|source| FileError::Key {
                path: path.to_owned(),
                source,
            })?;
        }
        Ok(())
    }
}
