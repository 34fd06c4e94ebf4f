//! Documents in `WiredTiger`, the storage engine of MongoDB.

mod ffi;
mod own_threads;
mod retry;
mod sessions;
mod table_name;

use std::{
    ffi::CString,
    ops::ControlFlow,
    os::unix::ffi::OsStrExt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use bson::RawDocument;
use papaya::HashMap;
use scenario::JournalSync;

pub use self::ffi::Failure;
use self::{
    ffi::{Connection, Cursor, Session, Table},
    sessions::Sessions,
};
use super::{Change, DocumentKey, Engine, Folder, StorageError, Updated, Visit, Wanted, folder::OpenFolder};

/// Errors of the system that a data folder in use leads to (EBUSY, errno(3)).
const BUSY: i32 = 16;

/// How to open a database.
#[derive(Debug)]
pub struct WiredTigerPlan {
    /// Where its files are.
    pub folder: Folder,
    /// What an acknowledged write has reached.
    pub sync: JournalSync,
    /// Size of the cache, in MiB.
    pub cache_mib: u32,
}

/// Documents in `WiredTiger`: a table for each namespace, and a transaction at snapshot isolation for each operation.
///
/// An acknowledged write has reached the operating system, so it survives the death of the process, or the disk, if
/// the journal is synced.
#[derive(Debug)]
pub struct WiredTigerEngine {
    // Dropped before the folder that its files are in.
    sessions: Sessions,
    collections: HashMap<Box<str>, Arc<Collection>>,
    threads: Vec<i32>,
    _folder: OpenFolder,
}

#[derive(Debug)]
struct Collection {
    table: Table,
    count: AtomicU64,
    /// Held by all that write, and alone by who clears: a range of records must not be truncated while others write to
    /// it. MongoDB's collection lock, taken for intent and exclusively, has the same part.
    writing: RwLock<()>,
}

impl WiredTigerEngine {
    /// Opens the database, and recovers what an earlier process had acknowledged.
    ///
    /// # Errors
    /// If the folder cannot be made, written or recovered.
    pub fn open(plan: WiredTigerPlan) -> Result<Self, StorageError> {
        let folder = plan.folder.open()?;
        let unusable = |source| StorageError::Folder {
            path: folder.path().display().to_string(),
            source,
        };
        let home =
            CString::new(folder.path().as_os_str().as_bytes()).map_err(|error| unusable(error.into()))?;
        let config =
            CString::new(config(plan.sync, plan.cache_mib)).map_err(|error| unusable(error.into()))?;
        let (connection, threads) = own_threads::started_by(|| Connection::open(&home, &config));
        let connection = connection.map_err(|failure| match failure.system() {
            Some(error) if error.raw_os_error() == Some(BUSY) => {
                unusable(std::io::Error::other("it is in use by another process"))
            }
            Some(error) => unusable(error),
            None => StorageError::WiredTiger(failure),
        })?;
        let engine = Self {
            sessions: Sessions::new(connection),
            collections: HashMap::new(),
            threads,
            _folder: folder,
        };
        let tables = engine.sessions.with(Session::table_names)?;
        for namespace in tables.iter().filter_map(|name| table_name::namespace(name)) {
            engine.open_collection(&namespace)?;
        }
        Ok(engine)
    }

    fn collection(&self, namespace: &str) -> Option<Arc<Collection>> {
        self.collections.pin().get(namespace).cloned()
    }

    fn open_collection(&self, namespace: &str) -> Result<Arc<Collection>, StorageError> {
        let name = table_name::of(namespace)?;
        let table = self.sessions.with(|session| session.table(&name))?;
        let mut records = 0;
        self.read(&table, |cursor| {
            while cursor.next()?.is_some() {
                records += 1;
            }
            Ok(())
        })?;
        let collection = Arc::new(Collection {
            table,
            count: AtomicU64::new(records),
            writing: RwLock::default(),
        });
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

    /// Shows `look` the table as it is now.
    fn read<T>(
        &self,
        table: &Table,
        look: impl FnOnce(&mut Cursor<'_>) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        self.sessions.with(|session| {
            let mut transaction = session.begin()?;
            let mut cursor = transaction.cursor(table)?;
            look(&mut cursor)
        })
    }

    /// Runs `change` in a transaction of its own, again for as long as that conflicts with another.
    fn write<T>(
        &self,
        table: &Table,
        mut change: impl FnMut(&mut Cursor<'_>) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        self.sessions.with(|session| {
            retry::on_conflict(|| {
                let mut transaction = session.begin()?;
                let result = change(&mut transaction.cursor(table)?)?;
                transaction.commit()?;
                Ok(result)
            })
        })
    }
}

/// As MongoDB configures it, but for what docs/wiredtiger.md lists.
fn config(sync: JournalSync, cache_mib: u32) -> String {
    let method = match sync {
        JournalSync::Os => "none",
        JournalSync::Disk => "fsync",
    };
    [
        "create",
        &format!("cache_size={cache_mib}M"),
        "session_max=33000",
        "eviction=(threads_min=4,threads_max=4)",
        "log=(enabled,file_max=16MB)",
        &format!("transaction_sync=(enabled,method={method})"),
        "checkpoint=(wait=60,log_size=2GB)",
        "statistics=(fast)",
    ]
    .join(",")
}

impl Engine for WiredTigerEngine {
    fn insert(
        &self,
        namespace: &str,
        key: &DocumentKey,
        document: &RawDocument,
    ) -> Result<bool, StorageError> {
        let collection = self.collection_or_new(namespace)?;
        let _writing = collection.writing.read().unwrap_or_else(PoisonError::into_inner);
        let inserted = self.write(&collection.table, |cursor| {
            Ok(cursor.insert(key.as_bytes(), document.as_bytes())?)
        })?;
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
        self.read(&collection.table, |cursor| {
            let Some(bytes) = cursor.search(key.as_bytes())? else {
                return Ok(false);
            };
            found(RawDocument::from_bytes(bytes)?);
            Ok(true)
        })
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
        let _writing = collection.writing.read().unwrap_or_else(PoisonError::into_inner);
        self.write(&collection.table, |cursor| {
            let Some(bytes) = cursor.search(key.as_bytes())? else {
                return Ok(Updated::Missing);
            };
            let Some(changed) = change(RawDocument::from_bytes(bytes)?)? else {
                return Ok(Updated::Unchanged);
            };
            cursor.replace(changed.as_bytes())?;
            Ok(Updated::Changed)
        })
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
        let _writing = collection.writing.read().unwrap_or_else(PoisonError::into_inner);
        // In one transaction: a document that another changes in between is looked at again.
        let removed = self.write(&collection.table, |cursor| {
            let Some(bytes) = cursor.search(key.as_bytes())? else {
                return Ok(false);
            };
            if !wanted(RawDocument::from_bytes(bytes)?) {
                return Ok(false);
            }
            Ok(cursor.remove(key.as_bytes())?)
        })?;
        if removed {
            collection.count.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(removed)
    }

    fn clear(&self, namespace: &str) -> Result<u64, StorageError> {
        let Some(collection) = self.collection(namespace) else {
            return Ok(0);
        };
        let _alone = collection.writing.write().unwrap_or_else(PoisonError::into_inner);
        self.write(&collection.table, |cursor| Ok(cursor.truncate()?))?;
        Ok(collection.count.swap(0, Ordering::Relaxed))
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
        self.read(&collection.table, |cursor| {
            while let Some(bytes) = cursor.next()? {
                if found(RawDocument::from_bytes(bytes)?) == ControlFlow::Break(()) {
                    break;
                }
            }
            Ok(())
        })
    }

    fn own_threads(&self) -> &[i32] {
        &self.threads
    }
}
