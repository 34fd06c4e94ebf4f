//! Every engine that keeps documents behaves alike.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_cmp,
    reason = "a test fails by panicking, also in its helpers; replies carry exact numbers"
)]

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

use bson::{RawBsonRef, RawDocumentBuf, doc};
use scenario::JournalSync;
use testbed::server::storage::{
    DocumentKey, Engine, FjallEngine, Folder, MemoryEngine, StorageError, Updated,
};
#[cfg(feature = "wiredtiger")]
use testbed::server::storage::{WiredTigerEngine, WiredTigerPlan};

fn engines() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(MemoryEngine::default())];
    for open in DURABLE {
        engines.push(open(Folder::Temporary, JournalSync::Os).unwrap());
        engines.push(open(Folder::Temporary, JournalSync::Disk).unwrap());
    }
    engines
}

type Open = fn(Folder, JournalSync) -> Result<Box<dyn Engine>, StorageError>;

/// Ways to open the engines that find their documents again.
const DURABLE: &[Open] = &[
    |folder, sync| Ok(Box::new(FjallEngine::open(folder, sync)?)),
    #[cfg(feature = "wiredtiger")]
    |folder, sync| {
        let plan = WiredTigerPlan {
            folder,
            sync,
            cache_mib: 1,
        };
        Ok(Box::new(WiredTigerEngine::open(plan)?))
    },
];

fn key(id: i32) -> DocumentKey {
    DocumentKey::new(RawBsonRef::Int32(id)).unwrap()
}

fn document(id: i32, value: i32) -> RawDocumentBuf {
    RawDocumentBuf::try_from(&doc! { "_id": id, "value": value }).unwrap()
}

fn value(engine: &dyn Engine, namespace: &str, id: i32) -> Option<i32> {
    let mut value = None;
    let found = engine
        .find(namespace, &key(id), &mut |document| {
            value = document.get_i32("value").ok();
        })
        .unwrap();
    assert_eq!(found, value.is_some());
    value
}

#[test]
fn documents_come_change_and_go() {
    for engine in engines() {
        let engine = engine.as_ref();
        assert_eq!(value(engine, "a.b", 1), None);
        assert_eq!(engine.count("a.b").unwrap(), 0);
        assert!(engine.insert("a.b", &key(1), &document(1, 10)).unwrap());
        assert!(
            !engine.insert("a.b", &key(1), &document(1, 11)).unwrap(),
            "the key is taken"
        );
        assert!(
            engine.insert("a.c", &key(1), &document(1, 20)).unwrap(),
            "namespaces are apart"
        );
        assert_eq!(value(engine, "a.b", 1), Some(10));

        let changed = engine
            .update("a.b", &key(1), &|_| Ok(Some(document(1, 12))))
            .unwrap();
        assert_eq!((changed, value(engine, "a.b", 1)), (Updated::Changed, Some(12)));
        assert_eq!(
            engine.update("a.b", &key(1), &|_| Ok(None)).unwrap(),
            Updated::Unchanged
        );
        assert_eq!(
            engine
                .update("a.b", &key(2), &|_| Ok(Some(document(2, 0))))
                .unwrap(),
            Updated::Missing
        );
        let refused = |_: &bson::RawDocument| {
            Err(StorageError::Refused {
                code: 66,
                message: "no".into(),
            })
        };
        assert!(engine.update("a.b", &key(1), &refused).is_err());
        assert_eq!(value(engine, "a.b", 1), Some(12));

        assert!(engine.delete("a.b", &key(1)).unwrap());
        assert!(!engine.delete("a.b", &key(1)).unwrap());
        assert_eq!(
            (engine.count("a.b").unwrap(), engine.count("a.c").unwrap()),
            (0, 1)
        );
    }
}

#[test]
fn scans_see_all_and_stop_when_told() {
    for engine in engines() {
        for id in 0..50 {
            engine.insert("a.b", &key(id), &document(id, id)).unwrap();
        }
        let mut seen = Vec::new();
        engine
            .scan("a.b", &mut |document| {
                seen.push(document.get_i32("value").unwrap());
                ControlFlow::Continue(())
            })
            .unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..50).collect::<Vec<_>>());
        let mut first = 0;
        engine
            .scan("a.b", &mut |_| {
                first += 1;
                ControlFlow::Break(())
            })
            .unwrap();
        assert_eq!(first, 1);
        assert_eq!(engine.clear("a.b").unwrap(), 50);
        assert_eq!(engine.count("a.b").unwrap(), 0);
        assert!(engine.insert("a.b", &key(1), &document(1, 1)).unwrap());
    }
}

#[test]
fn concurrent_writers_of_one_document_lose_nothing() {
    for engine in engines() {
        let inserted = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for id in 0..20 {
                        inserted.fetch_add(
                            usize::from(engine.insert("a.b", &key(id), &document(id, 0)).unwrap()),
                            Ordering::Relaxed,
                        );
                        engine
                            .update("a.b", &key(id), &|old| {
                                Ok(Some(document(id, old.get_i32("value").unwrap() + 1)))
                            })
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(inserted.into_inner(), 20);
        assert_eq!(engine.count("a.b").unwrap(), 20);
        for id in 0..20 {
            assert_eq!(
                value(engine.as_ref(), "a.b", id),
                Some(4),
                "every increment counted"
            );
        }
    }
}

#[test]
fn durable_engines_find_their_documents_again() {
    // Names of files cannot have all of these.
    const ODD: &str = "A.b/c \u{e4}%41";
    for open in DURABLE {
        let folder = tempfile::tempdir().unwrap();
        let open = || open(Folder::Kept(folder.path().to_owned()), JournalSync::Os).unwrap();
        let engine = open();
        for id in 0..30 {
            engine.insert("a.b", &key(id), &document(id, id)).unwrap();
        }
        engine.delete("a.b", &key(0)).unwrap();
        engine.insert(ODD, &key(1), &document(1, 7)).unwrap();
        engine.insert("a.c", &key(1), &document(1, 8)).unwrap();
        engine.clear("a.c").unwrap();
        drop(engine);
        let engine = open();
        assert_eq!(engine.count("a.b").unwrap(), 29);
        assert_eq!(value(engine.as_ref(), "a.b", 29), Some(29));
        assert_eq!(value(engine.as_ref(), ODD, 1), Some(7));
        assert_eq!(engine.count("a.c").unwrap(), 0);
    }
}

#[test]
fn a_folder_in_use_and_a_long_namespace_are_refused() {
    for open in DURABLE {
        let folder = tempfile::tempdir().unwrap();
        let open = || open(Folder::Kept(folder.path().to_owned()), JournalSync::Os);
        let engine = open().unwrap();
        let error = open().unwrap_err().to_string();
        assert!(error.contains("in use by"), "{error}");
        let long = format!("a.{}", "b".repeat(300));
        let error = engine.insert(&long, &key(1), &document(1, 1)).unwrap_err();
        assert!(
            error.to_string().contains("namespace of 302 bytes: expected"),
            "{error}"
        );
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    for open in DURABLE {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a-file");
        std::fs::write(&file, "").unwrap();
        let error = open(Folder::Kept(file.clone()), JournalSync::Os).unwrap_err();
        assert!(error.to_string().contains(&file.display().to_string()), "{error}");
    }
}
