//! Writes of documents that keep the indexes true.
//!
//! In a collection without indexes each is a call of the engine and no more. In one with indexes, writers of one document
//! take turns; entries are added before the document is written, and removed after it. So who reads finds every document
//! through its entries, and some entries too many: the document itself decides.

use std::sync::Arc;

use bson::{RawDocument, RawDocumentBuf};
use thiserror::Error;

use super::{
    Catalog, Collection,
    collection::State,
    definition::DefinitionError,
    index::{Index, Values},
};
use crate::server::storage::{Change, DocumentKey, Engine, StorageError, Updated, Wanted};

/// Why a write was refused.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The engine failed, or the change.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A value is taken that has to be unique.
    #[error("{0}")]
    Duplicate(Box<Duplicate>),
    /// An index over several fields takes one array only.
    #[error("index '{0}': at most one of its fields may be an array")]
    ParallelArrays(String),
    /// An index cannot be.
    #[error(transparent)]
    Definition(DefinitionError),
}

/// A value of a unique index that another document has.
#[derive(Clone, Debug, PartialEq)]
pub struct Duplicate {
    /// `database.collection`.
    pub namespace: String,
    /// The index's name.
    pub index: String,
    /// The index's fields.
    pub pattern: RawDocumentBuf,
    /// Their values.
    pub value: RawDocumentBuf,
}

impl std::fmt::Display for Duplicate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = bson::Document::try_from(self.value.as_ref()).unwrap_or_default();
        let (namespace, index) = (&self.namespace, &self.index);
        write!(
            f,
            "E11000 duplicate key error collection: {namespace} index: {index} dup key: {value}"
        )
    }
}

/// The documents of an engine and the indexes over them.
#[derive(Clone, Copy, Debug)]
pub struct Documents<'a> {
    engine: &'a dyn Engine,
    catalog: &'a Catalog,
}

impl<'a> Documents<'a> {
    /// Those of `engine`, indexed as `catalog` says.
    #[must_use]
    pub fn new(engine: &'a dyn Engine, catalog: &'a Catalog) -> Self {
        Self { engine, catalog }
    }

    /// Inserts a document, into a collection that is made if need be; gives `false` if its key is taken.
    ///
    /// # Errors
    /// If a unique value is taken, or the engine fails.
    pub fn insert(
        &self,
        namespace: &str,
        key: &DocumentKey,
        document: &RawDocument,
    ) -> Result<bool, WriteError> {
        loop {
            let (collection, _) = self.catalog.collection_or_new(self.engine, namespace)?;
            let state = collection.for_writing();
            if state.ended {
                continue;
            }
            if state.indexes.is_empty() {
                return Ok(self.engine.insert(namespace, key, document)?);
            }
            let _turn = collection.turn(key);
            if self.engine.keeps_documents() && self.engine.find(namespace, key, &mut |_| ())? {
                return Ok(false);
            }
            let reserved = Reserved::add(&state, namespace, key, None, document)?;
            return reserved.keep_if(self.engine.insert(namespace, key, document));
        }
    }

    /// Replaces a document by what `change` makes of it.
    ///
    /// # Errors
    /// If a unique value is taken, or `change` or the engine fails.
    pub fn update(
        &self,
        namespace: &str,
        key: &DocumentKey,
        change: Change<'_>,
    ) -> Result<Updated, WriteError> {
        self.with_indexes(
            namespace,
            || Ok(self.engine.update(namespace, key, change)?),
            |collection, state| {
                let _turn = collection.turn(key);
                let mut old = None;
                self.engine
                    .find(namespace, key, &mut |document| old = Some(document.to_owned()))?;
                let Some(old) = old else {
                    return Ok(Updated::Missing);
                };
                let Some(new) = change(&old)? else {
                    return Ok(Updated::Unchanged);
                };
                let reserved = Reserved::add(state, namespace, key, Some(&old), &new)?;
                let written = self.engine.update(namespace, key, &|_| Ok(Some(new.clone())));
                reserved.keep_if(written.map(|updated| updated == Updated::Changed))?;
                Ok(Updated::Changed)
            },
        )
    }

    /// Removes a document if it is as `wanted`; gives whether it did.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn delete_if(
        &self,
        namespace: &str,
        key: &DocumentKey,
        wanted: Wanted<'_>,
    ) -> Result<bool, WriteError> {
        // Both ways need it, and only one is taken.
        let wanted = std::cell::RefCell::new(wanted);
        self.with_indexes(
            namespace,
            || {
                Ok(self
                    .engine
                    .delete_if(namespace, key, &mut **wanted.borrow_mut())?)
            },
            |collection, state| {
                let _turn = collection.turn(key);
                let mut old = None;
                let removed = self.engine.delete_if(namespace, key, &mut |document| {
                    old = Some(document.to_owned());
                    (wanted.borrow_mut())(document)
                })?;
                if let (true, Some(old)) = (removed, old) {
                    for index in &state.indexes {
                        index.remove(key, index.values(&old)?.iter());
                    }
                }
                Ok(removed)
            },
        )
    }

    /// Removes all documents; gives their number.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn clear(&self, namespace: &str) -> Result<u64, StorageError> {
        match self.catalog.collection(namespace) {
            Some(collection) => collection.clear(|| self.engine.clear(namespace)),
            None => self.engine.clear(namespace),
        }
    }

    /// Writes in one of two ways, while no index comes or goes.
    fn with_indexes<T>(
        &self,
        namespace: &str,
        without: impl FnOnce() -> Result<T, WriteError>,
        with: impl FnOnce(&Collection, &State) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let Some(collection) = self.catalog.collection(namespace) else {
            return without();
        };
        let state = collection.for_writing();
        if state.indexes.is_empty() || !self.engine.keeps_documents() {
            return without();
        }
        with(&collection, &state)
    }
}

/// Entries that were added for a write that is not done yet, and those that it makes obsolete.
#[derive(Debug)]
struct Reserved<'a> {
    key: &'a DocumentKey,
    changes: Vec<(Arc<Index>, Values, Values)>,
}

impl<'a> Reserved<'a> {
    /// Adds the entries that `new` has and `old` has not.
    fn add(
        state: &State,
        namespace: &str,
        key: &'a DocumentKey,
        old: Option<&RawDocument>,
        new: &RawDocument,
    ) -> Result<Self, WriteError> {
        let mut reserved = Self {
            key,
            changes: Vec::new(),
        };
        for index in &state.indexes {
            let added = reserved.add_to(index, namespace, old, new);
            if let Err(error) = added {
                reserved.keep_if(Ok(false))?;
                return Err(error);
            }
        }
        Ok(reserved)
    }

    fn add_to(
        &mut self,
        index: &Arc<Index>,
        namespace: &str,
        old: Option<&RawDocument>,
        new: &RawDocument,
    ) -> Result<(), WriteError> {
        let before = old.map(|old| index.values(old)).transpose()?.unwrap_or_default();
        let after = index.values(new)?;
        let added: Values = after.difference(&before).cloned().collect();
        let obsolete: Values = before.difference(&after).cloned().collect();
        if !added.is_empty() {
            index.add(self.key, &added, namespace, new)?;
        }
        self.changes.push((Arc::clone(index), added, obsolete));
        Ok(())
    }

    /// Removes what the outcome of the write leaves without a document.
    fn keep_if(self, written: Result<bool, StorageError>) -> Result<bool, WriteError> {
        let keep = matches!(written, Ok(true));
        for (index, added, obsolete) in &self.changes {
            let removed = if keep { obsolete } else { added };
            if !removed.is_empty() {
                index.remove(self.key, removed.iter());
            }
        }
        Ok(written?)
    }
}
