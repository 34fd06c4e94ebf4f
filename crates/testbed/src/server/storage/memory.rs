use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bson::{RawDocument, RawDocumentBuf};
use papaya::{Compute, HashMap, Operation};

use super::{Change, DocumentKey, Engine, StorageError, Updated, Visit, Wanted};

/// Documents in a concurrent map: nothing blocks but memory.
#[derive(Debug, Default)]
pub struct MemoryEngine {
    collections: HashMap<Box<str>, Arc<Collection>>,
}

type Documents = HashMap<DocumentKey, RawDocumentBuf>;

#[derive(Debug, Default)]
struct Collection {
    documents: Documents,
    count: AtomicU64,
}

impl MemoryEngine {
    fn collection(&self, namespace: &str) -> Option<Arc<Collection>> {
        self.collections.pin().get(namespace).cloned()
    }

    fn collection_or_new(&self, namespace: &str) -> Arc<Collection> {
        self.collection(namespace).unwrap_or_else(|| {
            self.collections
                .pin()
                .get_or_insert_with(namespace.into(), Arc::default)
                .clone()
        })
    }
}

impl Engine for MemoryEngine {
    fn insert(
        &self,
        namespace: &str,
        key: &DocumentKey,
        document: &RawDocument,
    ) -> Result<bool, StorageError> {
        let collection = self.collection_or_new(namespace);
        let inserted = collection
            .documents
            .pin()
            .try_insert(key.clone(), document.to_owned())
            .is_ok();
        if inserted {
            collection.count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(inserted)
    }

    fn find(
        &self,
        namespace: &str,
        key: &DocumentKey,
        found: &mut dyn FnMut(&RawDocument),
    ) -> Result<bool, StorageError> {
        let Some(collection) = self.collection(namespace) else {
            return Ok(false);
        };
        let documents = collection.documents.pin();
        let document = documents.get(key);
        if let Some(document) = document {
            found(document);
        }
        Ok(document.is_some())
    }

    fn update(
        &self,
        namespace: &str,
        key: &DocumentKey,
        change: Change<'_>,
    ) -> Result<Updated, StorageError> {
        let Some(collection) = self.collection(namespace) else {
            return Ok(Updated::Missing);
        };
        let documents = collection.documents.pin();
        let result = documents.compute(key.clone(), |entry| match entry {
            None => Operation::Abort(Ok(Updated::Missing)),
            Some((_, document)) => match change(document) {
                Ok(None) => Operation::Abort(Ok(Updated::Unchanged)),
                Ok(Some(changed)) => Operation::Insert(changed),
                Err(error) => Operation::Abort(Err(error)),
            },
        });
        match result {
            Compute::Aborted(outcome) => outcome,
            _ => Ok(Updated::Changed),
        }
    }

    fn delete_if(
        &self,
        namespace: &str,
        key: &DocumentKey,
        wanted: Wanted<'_>,
    ) -> Result<bool, StorageError> {
        let Some(collection) = self.collection(namespace) else {
            return Ok(false);
        };
        let documents = collection.documents.pin();
        let result = documents.compute(key.clone(), |entry| match entry {
            Some((_, document)) if wanted(document) => Operation::Remove,
            _ => Operation::Abort(()),
        });
        let removed = matches!(result, Compute::Removed(..));
        if removed {
            collection.count.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(removed)
    }

    fn clear(&self, namespace: &str) -> Result<u64, StorageError> {
        let removed = self
            .collections
            .pin()
            .remove(namespace)
            .map(|collection| collection.count.load(Ordering::Relaxed));
        Ok(removed.unwrap_or(0))
    }

    fn count(&self, namespace: &str) -> Result<u64, StorageError> {
        Ok(self
            .collection(namespace)
            .map_or(0, |collection| collection.count.load(Ordering::Relaxed)))
    }

    fn scan(&self, namespace: &str, found: Visit<'_>) -> Result<(), StorageError> {
        let Some(collection) = self.collection(namespace) else {
            return Ok(());
        };
        for document in collection.documents.pin().values() {
            if found(document) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }
}
