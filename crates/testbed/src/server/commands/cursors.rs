//! Results that did not fit into one reply.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use bson::{RawArrayBuf, RawDocument, RawDocumentBuf, raw::cstr};

use super::{
    change::MAX_DOCUMENT_BYTES,
    error::CommandError,
    finish,
    query::{Filter, Projection},
};
use crate::server::{Services, storage::DocumentKey};

/// Documents of a first batch unless the client says otherwise: MongoDB's number.
pub(super) const FIRST_BATCH: u64 = 101;
/// A cursor that nobody reads is closed after that time, as in MongoDB.
const TIMEOUT: Duration = Duration::from_secs(600);
/// Cursors that may be open at a time.
const MAX_CURSORS: usize = 10_000;
/// What all of them may hold, in bytes.
const MAX_HELD_BYTES: usize = 512 * 1024 * 1024;

/// The open cursors of a server. One that is being read is not among them.
#[derive(Debug, Default)]
pub struct Cursors(Mutex<HashMap<i64, Idle>>);

#[derive(Debug)]
struct Idle {
    cursor: Cursor,
    since: Instant,
}

/// The rest of a result.
#[derive(Debug)]
pub(super) struct Cursor {
    pub(super) namespace: String,
    pub(super) rest: Rest,
}

#[derive(Debug)]
pub(super) enum Rest {
    /// Documents to be read when they are asked for. One that no longer matches is left out.
    Keys {
        keys: VecDeque<DocumentKey>,
        filter: Filter,
        projection: Projection,
    },
    /// Documents that were made for this result.
    Documents(VecDeque<RawDocumentBuf>),
}

impl Cursors {
    /// Keeps a cursor until it is asked for; gives its number, 0 if there is nothing left to ask for.
    pub(super) fn open(&self, cursor: Cursor) -> Result<i64, CommandError> {
        if cursor.rest.is_empty() {
            return Ok(0);
        }
        self.keep(new_id(), cursor, Instant::now())
    }

    fn keep(&self, id: i64, cursor: Cursor, now: Instant) -> Result<i64, CommandError> {
        let mut open = self.locked();
        open.retain(|_, idle| now.duration_since(idle.since) < TIMEOUT);
        let held: usize = open.values().map(|idle| idle.cursor.rest.bytes()).sum();
        if open.len() >= MAX_CURSORS || held + cursor.rest.bytes() > MAX_HELD_BYTES {
            return Err(CommandError::too_many_cursors(open.len()));
        }
        open.insert(id, Idle { cursor, since: now });
        Ok(id)
    }

    /// Takes the cursor out.
    fn take(&self, id: i64, namespace: &str) -> Result<Cursor, CommandError> {
        let mut open = self.locked();
        match open.remove(&id) {
            Some(idle) if idle.cursor.namespace == namespace && idle.since.elapsed() < TIMEOUT => {
                Ok(idle.cursor)
            }
            _ => Err(CommandError::cursor_not_found(id)),
        }
    }

    /// Closes a cursor; gives whether there was one.
    pub(super) fn kill(&self, id: i64) -> bool {
        self.locked().remove(&id).is_some()
    }

    /// How many are open.
    pub(super) fn count(&self) -> usize {
        self.locked().len()
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<i64, Idle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn new_id() -> i64 {
    (rand::random::<u64>() >> 1 | 1).cast_signed()
}

impl Rest {
    fn is_empty(&self) -> bool {
        match self {
            Self::Keys { keys, .. } => keys.is_empty(),
            Self::Documents(documents) => documents.is_empty(),
        }
    }

    /// What it holds, roughly: as if all were like the first, since this is asked often.
    fn bytes(&self) -> usize {
        match self {
            Self::Keys { keys, .. } => {
                keys.len()
                    * keys
                        .front()
                        .map_or(0, |key| key.as_bytes().len() + size_of::<DocumentKey>())
            }
            Self::Documents(documents) => {
                documents.len() * documents.front().map_or(0, |document| document.as_bytes().len())
            }
        }
    }

    /// Moves what is next and fits into `batch`.
    pub(super) fn fill(
        &mut self,
        services: &Services,
        namespace: &str,
        batch: &mut Batch,
    ) -> Result<(), CommandError> {
        match self {
            Self::Documents(documents) => {
                while let Some(document) = documents.pop_front() {
                    if !batch.push(&document) {
                        documents.push_front(document);
                        break;
                    }
                }
            }
            Self::Keys {
                keys,
                filter,
                projection,
            } => {
                while let Some(key) = keys.pop_front() {
                    let mut shown = Ok(None);
                    services.engine.find(namespace, &key, &mut |document| {
                        if filter.matches(document) || !services.engine.keeps_documents() {
                            shown = projection.apply(document).map(Some);
                        }
                    })?;
                    if let Some(document) = shown?
                        && !batch.push(&document)
                    {
                        keys.push_front(key);
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Documents of one reply.
#[derive(Debug)]
pub(super) struct Batch {
    documents: RawArrayBuf,
    left: u64,
    bytes: usize,
}

impl Batch {
    /// A batch for so many documents, and no more than fit into one.
    pub(super) fn of(documents: u64) -> Self {
        Self {
            documents: RawArrayBuf::new(),
            left: documents,
            bytes: 0,
        }
    }

    /// Adds the document if there is space for it; the first one always fits if any is wanted.
    pub(super) fn push(&mut self, document: &RawDocument) -> bool {
        let bytes = self.bytes + document.as_bytes().len();
        if self.left == 0 || (self.bytes > 0 && bytes > MAX_DOCUMENT_BYTES) {
            return false;
        }
        self.documents.push(document);
        self.bytes = bytes;
        self.left -= 1;
        true
    }

    /// The reply of a command that begins a result; `id` is 0 if this is all of it.
    pub(super) fn first_reply(self, namespace: &str, id: i64) -> RawDocumentBuf {
        let mut cursor = RawDocumentBuf::new();
        cursor.append(cstr!("firstBatch"), self.documents);
        reply(cursor, namespace, id)
    }
}

fn reply(mut cursor: RawDocumentBuf, namespace: &str, id: i64) -> RawDocumentBuf {
    cursor.append(cstr!("id"), id);
    cursor.append(cstr!("ns"), namespace);
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("cursor"), cursor);
    finish(reply)
}

/// The reply that begins a result of which all documents are there.
pub(super) fn begin(
    services: &Services,
    namespace: &str,
    documents: VecDeque<RawDocumentBuf>,
    batch_size: Option<u64>,
) -> Result<RawDocumentBuf, CommandError> {
    let mut batch = Batch::of(batch_size.unwrap_or(FIRST_BATCH));
    let mut rest = Rest::Documents(documents);
    rest.fill(services, namespace, &mut batch)?;
    let id = services.cursors.open(Cursor {
        namespace: namespace.to_owned(),
        rest,
    })?;
    Ok(batch.first_reply(namespace, id))
}

/// The reply that continues a result.
pub(super) fn go_on(
    services: &Services,
    namespace: &str,
    id: i64,
    batch_size: Option<u64>,
) -> Result<RawDocumentBuf, CommandError> {
    let mut cursor = services.cursors.take(id, namespace)?;
    let mut batch = Batch::of(batch_size.filter(|size| *size > 0).unwrap_or(u64::MAX));
    cursor.rest.fill(services, namespace, &mut batch)?;
    let id = if cursor.rest.is_empty() {
        0
    } else {
        services.cursors.keep(id, cursor, Instant::now())?
    };
    let mut next = RawDocumentBuf::new();
    next.append(cstr!("nextBatch"), batch.documents);
    Ok(reply(next, namespace, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(documents: usize) -> Cursor {
        Cursor {
            namespace: "a.b".to_owned(),
            rest: Rest::Documents(vec![RawDocumentBuf::new(); documents].into()),
        }
    }

    #[test]
    fn a_cursor_is_there_until_it_is_taken_killed_or_too_old() {
        let cursors = Cursors::default();
        assert_eq!(cursors.open(cursor(0)).unwrap(), 0, "nothing left");
        let id = cursors.open(cursor(1)).unwrap();
        assert!(id > 0);
        assert_eq!(cursors.take(id, "a.b").unwrap().namespace, "a.b");
        assert_eq!(cursors.take(id, "a.b").unwrap_err().code, 43);
        let id = cursors.open(cursor(1)).unwrap();
        assert!(cursors.kill(id) && !cursors.kill(id));

        let long_ago = Instant::now();
        cursors.keep(7, cursor(1), long_ago).unwrap();
        cursors.keep(8, cursor(1), long_ago + TIMEOUT).unwrap();
        assert_eq!(cursors.count(), 1, "the older one has timed out");
    }

    #[test]
    fn cursors_are_bounded() {
        let cursors = Cursors::default();
        let mut big = RawDocumentBuf::new();
        big.append(cstr!("x"), "x".repeat(1 << 20));
        let half = |document: &RawDocumentBuf| Cursor {
            namespace: "a.b".to_owned(),
            // As heavy as it says it is, at the cost of one.
            rest: Rest::Documents(
                std::iter::once(document.clone())
                    .chain(vec![RawDocumentBuf::new(); 300])
                    .collect(),
            ),
        };
        cursors.open(half(&big)).unwrap();
        assert_eq!(cursors.open(half(&big)).unwrap_err().code, 146);
    }
}
