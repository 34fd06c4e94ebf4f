//! Where the server keeps its documents: one trait, and its engines.

mod fjall;
mod folder;
mod key;
mod memory;
pub mod order;
pub mod path;
mod synthetic;
#[cfg(feature = "wiredtiger")]
mod wiredtiger;

use std::{fmt, ops::ControlFlow};

use bson::{RawDocument, RawDocumentBuf};
use scenario::Engine as EngineChoice;
use thiserror::Error;

#[cfg(feature = "wiredtiger")]
pub use self::wiredtiger::{Failure as WiredTigerFailure, WiredTigerEngine, WiredTigerPlan};
pub use self::{
    fjall::FjallEngine,
    folder::Folder,
    key::DocumentKey,
    memory::MemoryEngine,
    synthetic::{SyntheticEngine, SyntheticWork},
};

/// A place for documents, shared by all connection threads.
///
/// A namespace is `database.collection`; one that nothing was inserted into is empty. Each method is atomic for the
/// document that it touches.
pub trait Engine: Send + Sync + fmt::Debug {
    /// Inserts a document; gives `false`, and changes nothing, if its key is taken.
    ///
    /// # Errors
    /// If the engine fails.
    fn insert(
        &self,
        namespace: &str,
        key: &DocumentKey,
        document: &RawDocument,
    ) -> Result<bool, StorageError>;

    /// Shows the document to `found`; gives whether there is one.
    ///
    /// # Errors
    /// If the engine fails.
    fn find(
        &self,
        namespace: &str,
        key: &DocumentKey,
        found: &mut dyn FnMut(&RawDocument),
    ) -> Result<bool, StorageError>;

    /// Replaces the document by what `change` makes of it.
    ///
    /// `change` may be called more than once.
    ///
    /// # Errors
    /// If `change` or the engine fails.
    fn update(&self, namespace: &str, key: &DocumentKey, change: Change<'_>)
    -> Result<Updated, StorageError>;

    /// Removes the document; gives whether there was one.
    ///
    /// # Errors
    /// If the engine fails.
    fn delete(&self, namespace: &str, key: &DocumentKey) -> Result<bool, StorageError> {
        self.delete_if(namespace, key, &mut |_| true)
    }

    /// Removes the document if it is as `wanted`; gives whether it did.
    ///
    /// `wanted` may be called more than once, and with the removed document last.
    ///
    /// # Errors
    /// If the engine fails.
    fn delete_if(&self, namespace: &str, key: &DocumentKey, wanted: Wanted<'_>)
    -> Result<bool, StorageError>;

    /// Whether it keeps what is inserted. One that does not shows the same document for every key.
    fn keeps_documents(&self) -> bool {
        true
    }

    /// Removes all documents; gives their number.
    ///
    /// # Errors
    /// If the engine fails.
    fn clear(&self, namespace: &str) -> Result<u64, StorageError>;

    /// Number of documents.
    ///
    /// # Errors
    /// If the engine fails.
    fn count(&self, namespace: &str) -> Result<u64, StorageError>;

    /// Shows documents, in no particular order, until `found` breaks.
    ///
    /// # Errors
    /// If the engine fails.
    fn scan(&self, namespace: &str, found: Visit<'_>) -> Result<(), StorageError>;

    /// The ids of the threads that the engine has started; they count as background.
    fn own_threads(&self) -> &[i32] {
        &[]
    }
}

/// Makes the new document out of the old one; `None` leaves it as it is.
pub type Change<'a> = &'a dyn Fn(&RawDocument) -> Result<Option<RawDocumentBuf>, StorageError>;

/// Looks at a document and says whether it is to be removed.
pub type Wanted<'a> = &'a mut dyn FnMut(&RawDocument) -> bool;

/// Looks at a document and says whether to go on.
pub type Visit<'a> = &'a mut dyn FnMut(&RawDocument) -> ControlFlow<()>;

/// What an update found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updated {
    /// No document has the key.
    Missing,
    /// The document was already as wanted.
    Unchanged,
    /// The document was changed.
    Changed,
}

/// Why an engine could not do what it was asked for.
#[derive(Debug, Error)]
pub enum StorageError {
    /// The key-value store failed.
    #[error("the storage engine failed: {}", in_words(.0))]
    Store(#[from] ::fjall::Error),
    /// The library failed.
    #[cfg(feature = "wiredtiger")]
    #[error("the storage engine failed: {0}")]
    WiredTiger(#[from] wiredtiger::Failure),
    /// The engine is an option that this program was built without.
    #[error(
        "engine wiredtiger: expected a program that was built with it (apt-get install libwiredtiger-dev; cargo build --release -p cli --features wiredtiger)"
    )]
    NotBuilt,
    /// The key-value store accepts no more writes since one has failed.
    #[error("the storage engine accepts no more writes since one failed: {cause}")]
    Stopped {
        /// Why that one failed.
        cause: String,
    },
    /// A folder could not be made or used.
    #[error("cannot use the data folder {path}: {source}")]
    Folder {
        /// The folder.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// Stored bytes are not a document.
    #[error("a stored document is not valid BSON: {0}")]
    Document(#[from] bson::error::Error),
    /// The request cannot be carried out on this document.
    #[error("{message}")]
    Refused {
        /// MongoDB's error code.
        code: i32,
        /// What was expected.
        message: String,
    },
}

/// Whether this program has the engine.
///
/// # Errors
/// Says how to build one that has.
pub fn check(engine: EngineChoice) -> Result<(), StorageError> {
    if engine == EngineChoice::Wiredtiger && !cfg!(feature = "wiredtiger") {
        return Err(StorageError::NotBuilt);
    }
    Ok(())
}

/// The store's own text for an error is its debug form.
fn in_words(error: &::fjall::Error) -> String {
    match error {
        ::fjall::Error::Io(error) => error.to_string(),
        ::fjall::Error::Locked => "its folder is in use by another process".to_owned(),
        ::fjall::Error::Poisoned => {
            "an earlier write failed, so that no more are accepted; restart it to recover what was acknowledged".to_owned()
        }
        other => other.to_string(),
    }
}
