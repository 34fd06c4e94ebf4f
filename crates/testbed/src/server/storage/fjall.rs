use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bson::RawDocument;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use papaya::HashMap;
use scenario::JournalSync;

use super::{
    Change, DocumentKey, Engine, Folder, StorageError, Updated, Visit, Wanted, folder::OpenFolder, in_words,
};

/// Stripes of the write locks: enough that two of a few hundred writers seldom meet.
const STRIPES: usize = 1024;
/// Longest namespace that the store takes as a name.
const MAX_NAMESPACE_BYTES: usize = 255;

/// Documents in the `fjall` log-structured store: an acknowledged write has reached the operating system, so it
/// survives the death of the process, or the disk, if the journal is synced.
#[derive(Debug)]
pub struct FjallEngine {
    // Dropped before the folder that it lives in.
    database: Store,
    collections: HashMap<Box<str>, Arc<Collection>>,
    /// Writers of one document take turns: the store has no atomic read-modify-write of its own.
    stripes: Vec<Mutex<()>>,
    sync: JournalSync,
    /// What the first write that failed ran into.
    first_failure: OnceLock<String>,
    _folder: OpenFolder,
}

struct Store(Database);

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Database")
    }
}

struct Collection {
    keyspace: Keyspace,
    count: AtomicU64,
}

impl std::fmt::Debug for Collection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collection")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

impl FjallEngine {
    /// Opens the store in `folder`, and recovers what an earlier process had acknowledged.
    ///
    /// # Errors
    /// If the folder cannot be made, written or recovered.
    pub fn open(folder: Folder, sync: JournalSync) -> Result<Self, StorageError> {
        let folder = folder.open()?;
        let database = Database::builder(folder.path()).open()?;
        let engine = Self {
            collections: HashMap::new(),
            stripes: (0..STRIPES).map(|_| Mutex::default()).collect(),
            sync,
            first_failure: OnceLock::new(),
            _folder: folder,
            database: Store(database),
        };
        for name in engine.database.0.list_keyspace_names() {
            engine.open_collection(&name)?;
        }
        Ok(engine)
    }

    fn collection(&self, namespace: &str) -> Option<Arc<Collection>> {
        self.collections.pin().get(namespace).cloned()
    }

    fn open_collection(&self, namespace: &str) -> Result<Arc<Collection>, StorageError> {
        if namespace.is_empty() || namespace.len() > MAX_NAMESPACE_BYTES {
            let message = format!(
                "namespace of {} bytes: expected 1 to {MAX_NAMESPACE_BYTES}",
                namespace.len()
            );
            return Err(StorageError::Refused { code: 73, message });
        }
        let keyspace = self
            .database
            .0
            .keyspace(namespace, KeyspaceCreateOptions::default)?;
        let count = AtomicU64::new(keyspace.len()? as u64);
        let collection = Arc::new(Collection { keyspace, count });
        // Another thread may have been faster; all have to use one counter.
        Ok(self
            .collections
            .pin()
            .get_or_insert(namespace.into(), collection)
            .clone())
    }

    fn collection_or_new(&self, namespace: &str) -> Result<Arc<Collection>, StorageError> {
        self.collection(namespace)
            .map_or_else(|| self.open_collection(namespace), Ok)
    }

    fn lock(&self, key: &DocumentKey) -> Option<MutexGuard<'_, ()>> {
        let stripe = crc32c::crc32c(key.as_bytes()) as usize % STRIPES;
        self.stripes
            .get(stripe)
            .map(|stripe| stripe.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn persist(&self) -> Result<(), StorageError> {
        match self.sync {
            // The store hands each write to the operating system before it returns.
            JournalSync::Os => Ok(()),
            JournalSync::Disk => self
                .database
                .0
                .persist(PersistMode::SyncAll)
                .map_err(|error| self.failed(error)),
        }
    }

    /// The first write that fails tells why; after it the store refuses all others, and no longer knows.
    fn failed(&self, error: fjall::Error) -> StorageError {
        if let fjall::Error::Poisoned = error {
            return match self.first_failure.get() {
                Some(cause) => StorageError::Stopped { cause: cause.clone() },
                None => StorageError::Store(error),
            };
        }
        self.first_failure.get_or_init(|| in_words(&error));
        StorageError::Store(error)
    }
}

impl Engine for FjallEngine {
    fn insert(
        &self,
        namespace: &str,
        key: &DocumentKey,
        document: &RawDocument,
    ) -> Result<bool, StorageError> {
        let collection = self.collection_or_new(namespace)?;
        let turn = self.lock(key);
        if collection.keyspace.contains_key(key.as_bytes())? {
            return Ok(false);
        }
        collection
            .keyspace
            .insert(key.as_bytes(), document.as_bytes())
            .map_err(|error| self.failed(error))?;
        collection.count.fetch_add(1, Ordering::Relaxed);
        drop(turn);
        self.persist()?;
        Ok(true)
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
        let Some(bytes) = collection.keyspace.get(key.as_bytes())? else {
            return Ok(false);
        };
        found(RawDocument::from_bytes(&bytes)?);
        Ok(true)
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
        let turn = self.lock(key);
        let Some(bytes) = collection.keyspace.get(key.as_bytes())? else {
            return Ok(Updated::Missing);
        };
        let Some(changed) = change(RawDocument::from_bytes(&bytes)?)? else {
            return Ok(Updated::Unchanged);
        };
        collection
            .keyspace
            .insert(key.as_bytes(), changed.as_bytes())
            .map_err(|error| self.failed(error))?;
        drop(turn);
        self.persist()?;
        Ok(Updated::Changed)
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
        let turn = self.lock(key);
        let Some(bytes) = collection.keyspace.get(key.as_bytes())? else {
            return Ok(false);
        };
        if !wanted(RawDocument::from_bytes(&bytes)?) {
            return Ok(false);
        }
        collection
            .keyspace
            .remove(key.as_bytes())
            .map_err(|error| self.failed(error))?;
        collection.count.fetch_sub(1, Ordering::Relaxed);
        drop(turn);
        self.persist()?;
        Ok(true)
    }

    fn clear(&self, namespace: &str) -> Result<u64, StorageError> {
        let Some(collection) = self.collection(namespace) else {
            return Ok(0);
        };
        // All stripes: no writer may count a document that is cleared away under it.
        let turns: Vec<_> = self
            .stripes
            .iter()
            .map(|stripe| stripe.lock().unwrap_or_else(PoisonError::into_inner))
            .collect();
        collection.keyspace.clear().map_err(|error| self.failed(error))?;
        let removed = collection.count.swap(0, Ordering::Relaxed);
        drop(turns);
        self.persist()?;
        Ok(removed)
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
        for entry in collection.keyspace.iter() {
            if found(RawDocument::from_bytes(&entry.value()?)?) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }
}
