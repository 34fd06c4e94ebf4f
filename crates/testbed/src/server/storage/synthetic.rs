use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bson::{RawDocument, RawDocumentBuf, raw::CString, spec::BinarySubtype};

use super::{Change, DocumentKey, Engine, StorageError, Updated, Visit, Wanted};
use crate::server::background::Work;

/// CPU work per operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SyntheticWork {
    /// CPU of a read, in us.
    pub read_us: f64,
    /// CPU of an update, in us.
    pub update_us: f64,
    /// Share of the update's CPU that is spent under the one lock, in percent.
    pub lock_percent: u32,
}

/// No documents: each operation costs a set amount of CPU, part of each update under one lock, and finds a document
/// of the usual size. Inserts are counted, and cost nothing; a delete costs a read, and a scan one for each document that it
/// shows.
#[derive(Debug)]
pub struct SyntheticEngine {
    work: Work,
    amount: SyntheticWork,
    lock: Mutex<()>,
    document: RawDocumentBuf,
    /// Of each namespace.
    counts: Mutex<HashMap<String, u64>>,
}

/// Of an update's work outside the lock, what comes before it: with 10 % inside, 70 % of the whole.
const SHARE_BEFORE_LOCK: f64 = 7.0 / 9.0;

/// Size of the document that every read finds: that of the YCSB core workloads.
const FIELDS: usize = 10;
const FIELD_BYTES: usize = 100;

impl SyntheticEngine {
    /// An engine that does `amount` of `work` per operation.
    #[must_use]
    pub fn new(work: Work, amount: SyntheticWork) -> Self {
        let mut document = RawDocumentBuf::new();
        document.append(bson::raw::cstr!("_id"), "synthetic");
        for field in 0..FIELDS {
            let Ok(name) = CString::try_from(format!("field{field}")) else {
                continue;
            };
            document.append(
                name,
                bson::Binary {
                    subtype: BinarySubtype::Generic,
                    bytes: vec![b'x'; FIELD_BYTES],
                },
            );
        }
        Self {
            work,
            amount,
            lock: Mutex::default(),
            document,
            counts: Mutex::default(),
        }
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine for SyntheticEngine {
    fn insert(&self, namespace: &str, _: &DocumentKey, _: &RawDocument) -> Result<bool, StorageError> {
        let mut counts = self.counts();
        match counts.get_mut(namespace) {
            Some(count) => *count += 1,
            None => drop(counts.insert(namespace.to_owned(), 1)),
        }
        Ok(true)
    }

    fn find(
        &self,
        _: &str,
        _: &DocumentKey,
        found: &mut dyn FnMut(&RawDocument),
    ) -> Result<bool, StorageError> {
        self.work.run(self.amount.read_us);
        found(&self.document);
        Ok(true)
    }

    fn update(&self, _: &str, _: &DocumentKey, _: Change<'_>) -> Result<Updated, StorageError> {
        let inside = self.amount.update_us * f64::from(self.amount.lock_percent) / 100.0;
        let before = (self.amount.update_us - inside) * SHARE_BEFORE_LOCK;
        self.work.run(before);
        let turn = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.work.run(inside);
        drop(turn);
        self.work.run(self.amount.update_us - inside - before);
        Ok(Updated::Changed)
    }

    fn delete_if(&self, namespace: &str, _: &DocumentKey, wanted: Wanted<'_>) -> Result<bool, StorageError> {
        self.work.run(self.amount.read_us);
        if !wanted(&self.document) {
            return Ok(false);
        }
        let mut counts = self.counts();
        let count = counts.get_mut(namespace).filter(|count| **count > 0);
        Ok(count.map(|count| *count -= 1).is_some())
    }

    fn keeps_documents(&self) -> bool {
        false
    }

    fn clear(&self, namespace: &str) -> Result<u64, StorageError> {
        Ok(self.counts().remove(namespace).unwrap_or(0))
    }

    fn count(&self, namespace: &str) -> Result<u64, StorageError> {
        Ok(self.counts().get(namespace).copied().unwrap_or(0))
    }

    fn scan(&self, namespace: &str, found: Visit<'_>) -> Result<(), StorageError> {
        for _ in 0..self.count(namespace)? {
            self.work.run(self.amount.read_us);
            if found(&self.document).is_break() {
                break;
            }
        }
        Ok(())
    }
}
