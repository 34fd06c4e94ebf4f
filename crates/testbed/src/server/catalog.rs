//! Which collections there are and which indexes they have, and the writes that keep the indexes true.
//!
//! Entries of indexes are kept in memory and made anew when a durable engine is opened; what is stored is the list of
//! collections with the definitions of their indexes.

mod collection;
mod definition;
mod documents;
mod index;
mod stored;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use papaya::HashMap;

pub use self::{
    collection::Collection,
    definition::{Definition, DefinitionError},
    documents::{Documents, Duplicate, WriteError},
    index::{Entry, Index, KeyRange},
};
use super::storage::{Engine, StorageError};

/// The collections of a server.
#[derive(Debug, Default)]
pub struct Catalog {
    collections: HashMap<Box<str>, Arc<Collection>>,
    /// Collections are made, changed and dropped one at a time.
    changing: Mutex<()>,
}

impl Catalog {
    /// Reads what an earlier process has stored in `engine`, and makes the entries of its indexes.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn open(engine: &dyn Engine) -> Result<Self, StorageError> {
        let catalog = Self::default();
        if engine.keeps_documents() {
            for (namespace, definitions) in stored::read(engine)? {
                let collection = Collection::default();
                for definition in definitions {
                    // What was accepted once is taken as it is: nobody is there to be told of a duplicate.
                    let _built = collection.build(engine, &namespace, definition);
                }
                catalog
                    .collections
                    .pin()
                    .insert(namespace.into(), Arc::new(collection));
            }
        }
        Ok(catalog)
    }

    /// The collection of this name, if there is one.
    #[must_use]
    pub fn collection(&self, namespace: &str) -> Option<Arc<Collection>> {
        self.collections.pin().get(namespace).cloned()
    }

    /// The collection of this name, which is made if need be; and whether it was.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn collection_or_new(
        &self,
        engine: &dyn Engine,
        namespace: &str,
    ) -> Result<(Arc<Collection>, bool), StorageError> {
        if let Some(collection) = self.collection(namespace) {
            return Ok((collection, false));
        }
        let _turn = self.turn();
        if let Some(collection) = self.collection(namespace) {
            return Ok((collection, false));
        }
        stored::write(engine, namespace, &[])?;
        let collection = Arc::<Collection>::default();
        self.collections
            .pin()
            .insert(namespace.into(), Arc::clone(&collection));
        Ok((collection, true))
    }

    /// Adds indexes to a collection, which is made if need be; gives how many it had before and has now, `_id` included,
    /// and whether it was made. None is added if one cannot be.
    ///
    /// # Errors
    /// If an index contradicts one that is there or a document, or the engine fails.
    pub fn add_indexes(
        &self,
        engine: &dyn Engine,
        namespace: &str,
        definitions: Vec<Definition>,
    ) -> Result<Added, WriteError> {
        let (collection, made) = self.collection_or_new(engine, namespace)?;
        let _turn = self.turn();
        let before = collection.indexes().len() + 1;
        collection.add(engine, namespace, definitions)?;
        let after = collection.indexes().len() + 1;
        if after != before {
            stored::write(engine, namespace, &collection.indexes())?;
        }
        Ok(Added { before, after, made })
    }

    /// Removes the indexes of which `remove` says so.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn remove_indexes(
        &self,
        engine: &dyn Engine,
        namespace: &str,
        remove: &dyn Fn(&Index) -> bool,
    ) -> Result<(), StorageError> {
        let _turn = self.turn();
        let Some(collection) = self.collection(namespace) else {
            return Ok(());
        };
        collection.remove(remove);
        stored::write(engine, namespace, &collection.indexes())
    }

    /// Drops a collection with all of its documents; gives the number of its indexes, `_id` included, if it was there.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn drop(&self, engine: &dyn Engine, namespace: &str) -> Result<Option<usize>, StorageError> {
        let _turn = self.turn();
        let Some(collection) = self.collection(namespace) else {
            // An engine that keeps no documents may still count some.
            engine.clear(namespace)?;
            return Ok(None);
        };
        let indexes = collection.indexes().len() + 1;
        collection.end(|| {
            stored::remove(engine, namespace)?;
            engine.clear(namespace)
        })?;
        self.collections.pin().remove(namespace);
        Ok(Some(indexes))
    }

    /// The names of all collections, `database.collection`, in order.
    #[must_use]
    pub fn namespaces(&self) -> Vec<String> {
        let mut names: Vec<_> = self.collections.pin().keys().map(ToString::to_string).collect();
        names.sort_unstable();
        names
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of a wish for indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// Indexes that the collection had, `_id` included.
    pub before: usize,
    /// Indexes that it has.
    pub after: usize,
    /// Whether the collection is new.
    pub made: bool,
}
