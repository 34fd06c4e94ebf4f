use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard},
};

use super::{
    definition::{Definition, DefinitionError},
    documents::WriteError,
    index::Index,
};
use crate::server::storage::{DocumentKey, Engine, StorageError};

/// Writers of an indexed collection take turns by key, in so many groups.
const STRIPES: usize = 64;

/// A collection's indexes, beside the one by `_id`, which is the storage engine itself.
#[derive(Debug)]
pub struct Collection {
    /// Writers hold it for reading, so that none of them misses an index that is being built.
    state: RwLock<State>,
    stripes: Vec<Mutex<()>>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) indexes: Vec<Arc<Index>>,
    /// It has been dropped: who still holds it has to look for its successor.
    pub(super) ended: bool,
}

impl Collection {
    /// Its indexes at this moment.
    #[must_use]
    pub fn indexes(&self) -> Vec<Arc<Index>> {
        self.for_writing().indexes.clone()
    }

    /// Keeps the set of indexes as it is for as long as the result lives.
    pub(super) fn for_writing(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps others from writing the document.
    pub(super) fn turn(&self, key: &DocumentKey) -> Option<MutexGuard<'_, ()>> {
        let stripe = crc32c::crc32c(key.as_bytes()) as usize % STRIPES;
        let stripe = self.stripes.get(stripe)?;
        Some(stripe.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds indexes, all or none. One that is there already is not added again.
    pub(super) fn add(
        &self,
        engine: &dyn Engine,
        namespace: &str,
        definitions: Vec<Definition>,
    ) -> Result<(), WriteError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let mut added = Vec::new();
        for definition in definitions {
            let known: Vec<_> = state
                .indexes
                .iter()
                .chain(&added)
                .map(|index| index.definition())
                .collect();
            if definition.is_among(&known)? {
                continue;
            }
            added.push(Arc::new(build(engine, namespace, definition)?));
        }
        state.indexes.extend(added);
        Ok(())
    }

    /// Adds one index without asking whether it goes with the others.
    pub(super) fn build(
        &self,
        engine: &dyn Engine,
        namespace: &str,
        definition: Definition,
    ) -> Result<(), WriteError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state
            .indexes
            .push(Arc::new(build(engine, namespace, definition)?));
        Ok(())
    }

    pub(super) fn remove(&self, remove: &dyn Fn(&Index) -> bool) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.indexes.retain(|index| !remove(index));
    }

    /// Carries out `clear` while nobody writes, after which there are no entries.
    pub(super) fn clear<T>(
        &self,
        clear: impl FnOnce() -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let cleared = clear()?;
        state.indexes.iter().for_each(|index| index.clear());
        Ok(cleared)
    }

    /// Carries out `clear` while nobody writes, after which there are no entries and nobody begins to write.
    pub(super) fn end<T>(&self, clear: impl FnOnce() -> Result<T, StorageError>) -> Result<T, StorageError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let cleared = clear()?;
        state.indexes.clear();
        state.ended = true;
        Ok(cleared)
    }
}

impl Default for Collection {
    fn default() -> Self {
        Self {
            state: RwLock::default(),
            stripes: (0..STRIPES).map(|_| Mutex::default()).collect(),
        }
    }
}

/// An index with the entries of all documents that are there.
fn build(engine: &dyn Engine, namespace: &str, definition: Definition) -> Result<Index, WriteError> {
    let index = Index::new(definition);
    let mut failure = None;
    if engine.keeps_documents() {
        engine.scan(namespace, &mut |document| {
            let key = document.get("_id").ok().flatten().and_then(DocumentKey::new);
            let Some(key) = key else {
                return ControlFlow::Continue(());
            };
            match index
                .values(document)
                .and_then(|values| index.add(&key, &values, namespace, document))
            {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
    }
    failure.map_or(Ok(index), Err)
}

impl From<DefinitionError> for WriteError {
    fn from(error: DefinitionError) -> Self {
        Self::Definition(error)
    }
}
