//! Secondary indexes are used, and hold what the documents say.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use bson::{Document, RawDocument, doc};
use proptest::prelude::*;
use scenario::{Engine as EngineChoice, JournalSync};
use support::{Asking, ids, write_error};
use testbed::server::{
    Services,
    catalog::Catalog,
    storage::{
        Change, DocumentKey, Engine, FjallEngine, Folder, MemoryEngine, StorageError, Updated, Visit, Wanted,
    },
};

/// An engine whose documents must not be looked at one after the other.
#[derive(Debug)]
struct NoScans(MemoryEngine);

impl Engine for NoScans {
    fn insert(&self, ns: &str, key: &DocumentKey, document: &RawDocument) -> Result<bool, StorageError> {
        self.0.insert(ns, key, document)
    }
    fn find(
        &self,
        ns: &str,
        key: &DocumentKey,
        found: &mut dyn FnMut(&RawDocument),
    ) -> Result<bool, StorageError> {
        self.0.find(ns, key, found)
    }
    fn update(&self, ns: &str, key: &DocumentKey, change: Change<'_>) -> Result<Updated, StorageError> {
        self.0.update(ns, key, change)
    }
    fn delete_if(&self, ns: &str, key: &DocumentKey, wanted: Wanted<'_>) -> Result<bool, StorageError> {
        self.0.delete_if(ns, key, wanted)
    }
    fn clear(&self, ns: &str) -> Result<u64, StorageError> {
        self.0.clear(ns)
    }
    fn count(&self, ns: &str) -> Result<u64, StorageError> {
        self.0.count(ns)
    }
    fn scan(&self, ns: &str, found: Visit<'_>) -> Result<(), StorageError> {
        // An index is built from all documents; here that is done while there are none.
        assert_eq!(self.0.count(ns)?, 0, "{ns} was scanned");
        self.0.scan(ns, found)
    }
}

fn create(server: &Services, key: Document, name: &str, more: Document) -> Document {
    let mut index = doc! { "key": key, "name": name };
    index.extend(more);
    server.ask(doc! { "createIndexes": "c", "indexes": [index], "$db": "d" })
}

#[test]
fn a_find_by_an_indexed_field_looks_at_its_documents_alone() {
    let mut server = support::server(EngineChoice::Memory);
    server.engine = Box::new(NoScans(MemoryEngine::default()));
    create(&server, doc! { "category": 1 }, "category_1", doc! {});
    create(&server, doc! { "price": 1, "category": 1 }, "price_1", doc! {});
    let things: Vec<_> = (0..100)
        .map(|id| doc! { "_id": id, "category": format!("c{}", id % 10), "price": id, "tags": [id, id + 1] })
        .collect();
    server.ok(doc! { "insert": "c", "documents": things, "$db": "d" });
    for (filter, expected) in [
        (doc! { "category": "c3", "price": { "$lt": 30 } }, vec![3, 13, 23]),
        (doc! { "price": { "$gte": 97 } }, vec![97, 98, 99]),
        (doc! { "price": { "$gt": 4, "$lte": 6 } }, vec![5, 6]),
        (doc! { "price": { "$gt": 6, "$lt": 4 } }, vec![]),
        (doc! { "price": { "$in": [1, 50.0, "x"] } }, vec![1, 50]),
        (doc! { "price": { "$lt": 1 } }, vec![0]),
        (doc! { "category": null }, vec![]),
    ] {
        let reply =
            server.ok(doc! { "find": "c", "filter": filter.clone(), "sort": { "_id": 1 }, "$db": "d" });
        assert_eq!(ids(&reply), expected, "{filter}");
    }
    let listed = server.ok(doc! { "find": "c", "filter": { "category": "c1" }, "limit": 4, "$db": "d" });
    assert_eq!(ids(&listed).len(), 4);
    // Writes find their documents in the same way.
    server.ok(doc! { "update": "c", "updates": [{ "q": { "price": 5 }, "u": { "$set": { "category": "new" } } }], "$db": "d" });
    server.ok(doc! { "delete": "c", "deletes": [{ "q": { "price": 6 }, "limit": 1 }], "$db": "d" });
    server.ok(doc! { "update": "c", "updates": [{ "q": { "price": 500 }, "u": { "$set": { "category": "new" } }, "upsert": true }], "$db": "d" });
    let new = server.ok(doc! { "find": "c", "filter": { "category": "new" }, "$db": "d" });
    assert_eq!(
        new.get_document("cursor")
            .unwrap()
            .get_array("firstBatch")
            .unwrap()
            .len(),
        2
    );
    let gone = server.ok(doc! { "find": "c", "filter": { "category": "c6", "price": 6 }, "$db": "d" });
    assert_eq!(ids(&gone), Vec::<i32>::new());
}

#[test]
fn unique_values_are_unique() {
    for server in support::servers() {
        create(&server, doc! { "mail": 1 }, "mail_1", doc! { "unique": true });
        let insert =
            |document: Document| server.ok(doc! { "insert": "c", "documents": [document], "$db": "d" });
        insert(doc! { "_id": 1, "mail": "a" });
        let refused = write_error(&insert(doc! { "_id": 2, "mail": "a" }));
        assert_eq!(refused.get_i32("code").unwrap(), 11000);
        assert_eq!(refused.get_document("keyPattern").unwrap(), &doc! { "mail": 1 });
        assert_eq!(refused.get_document("keyValue").unwrap(), &doc! { "mail": "a" });
        let taken = write_error(&insert(doc! { "_id": 1, "mail": "b" }));
        assert_eq!(taken.get_document("keyPattern").unwrap(), &doc! { "_id": 1 });
        insert(doc! { "_id": 2, "mail": "b" });
        let update = doc! { "update": "c", "updates": [{ "q": { "_id": 2 }, "u": { "$set": { "mail": "a" } } }], "$db": "d" };
        assert_eq!(
            write_error(&server.ok(update.clone())).get_i32("code").unwrap(),
            11000
        );
        assert_eq!(server.one(doc! { "_id": 2 }), doc! { "_id": 2, "mail": "b" });
        server.error(doc! { "findAndModify": "c", "query": { "_id": 2 }, "update": { "$set": { "mail": "a" } }, "$db": "d" }, 11000);
        server.ok(doc! { "delete": "c", "deletes": [{ "q": { "mail": "a" }, "limit": 1 }], "$db": "d" });
        assert_eq!(server.ok(update).get_i32("nModified").unwrap(), 1);
        // Two documents without the field are two nulls, unless the index is sparse.
        insert(doc! { "_id": 3 });
        assert_eq!(
            write_error(&insert(doc! { "_id": 4 })).get_i32("code").unwrap(),
            11000
        );
        server.ok(doc! { "dropIndexes": "c", "index": "mail_1", "$db": "d" });
        create(
            &server,
            doc! { "mail": 1 },
            "mail_1",
            doc! { "unique": true, "sparse": true },
        );
        insert(doc! { "_id": 4 });
        assert_eq!(
            ids(&server
                .ok(doc! { "find": "c", "filter": { "mail": null }, "sort": { "_id": 1 }, "$db": "d" })),
            [3, 4]
        );
    }
}

#[test]
fn indexes_come_and_go() {
    for server in support::servers() {
        server.ok(
            doc! { "insert": "c", "documents": [{ "_id": 1, "a": 1 }, { "_id": 2, "a": 1 }], "$db": "d" },
        );
        let made = create(&server, doc! { "a": 1 }, "a_1", doc! {});
        assert_eq!(
            (
                made.get_i32("numIndexesBefore").ok(),
                made.get_i32("numIndexesAfter").ok()
            ),
            (Some(1), Some(2))
        );
        let again = create(&server, doc! { "a": 1 }, "a_1", doc! {});
        assert_eq!(again.get_i32("numIndexesAfter").ok(), Some(2));
        for (key, name, more, code) in [
            (doc! { "a": 1 }, "other", doc! {}, 85),
            (doc! { "b": 1 }, "a_1", doc! {}, 86),
            (doc! { "b": "text" }, "b", doc! {}, 67),
            (doc! { "b": 1 }, "b", doc! { "expireAfterSeconds": 1 }, 67),
            (doc! { "a": -1 }, "u", doc! { "unique": true }, 11000),
        ] {
            assert_eq!(
                create(&server, key.clone(), name, more).get_i32("code").ok(),
                Some(code),
                "{key}"
            );
        }
        let listed = server.ok(doc! { "listIndexes": "c", "$db": "d" });
        let names: Vec<_> = support::first_batch(&listed)
            .iter()
            .map(|index| index.get_str("name").unwrap().to_owned())
            .collect();
        assert_eq!(names, ["_id_", "a_1"]);
        server.error(doc! { "dropIndexes": "c", "index": "none", "$db": "d" }, 27);
        server.error(doc! { "dropIndexes": "c", "index": "_id_", "$db": "d" }, 72);
        server.error(doc! { "listIndexes": "none", "$db": "d" }, 26);
        let dropped = server.ok(doc! { "dropIndexes": "c", "index": { "a": 1 }, "$db": "d" });
        assert_eq!(dropped.get_i32("nIndexesWas").ok(), Some(2));
        server.error(
            doc! { "insert": "c", "documents": [{ "_id": 1 }], "$db": "d", "startTransaction": true },
            20,
        );
    }
}

#[test]
fn a_durable_engine_finds_its_indexes_again() {
    let folder = tempfile::tempdir().unwrap();
    let open = || FjallEngine::open(Folder::Kept(folder.path().to_owned()), JournalSync::Os).unwrap();
    let mut server = support::server(EngineChoice::Memory);
    server.engine = Box::new(open());
    create(&server, doc! { "a": 1 }, "a_1", doc! { "unique": true });
    server.ok(doc! { "insert": "c", "documents": [{ "_id": 1, "a": 1 }], "$db": "d" });
    server.engine = Box::new(MemoryEngine::default());
    server.engine = Box::new(open());
    server.catalog = Catalog::open(server.engine.as_ref()).unwrap();
    assert_eq!(server.catalog.namespaces(), ["d.c"]);
    let refused = server.ok(doc! { "insert": "c", "documents": [{ "_id": 2, "a": 1 }], "$db": "d" });
    assert_eq!(write_error(&refused).get_i32("code").unwrap(), 11000);
}

#[test]
fn concurrent_writers_leave_the_index_as_the_documents_are() {
    for server in support::servers() {
        create(&server, doc! { "a": 1 }, "a_1", doc! {});
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let server = &server;
                scope.spawn(move || {
                    for round in 0..100 {
                        let id = (round * 7 + writer) % 10;
                        let update = doc! { "q": { "_id": id }, "u": { "$set": { "a": (round + writer) % 5 } }, "upsert": true };
                        server.ok(doc! { "update": "c", "updates": [update], "$db": "d" });
                        if round % 9 == writer {
                            server.ok(doc! { "delete": "c", "deletes": [{ "q": { "a": 1 }, "limit": 0 }], "$db": "d" });
                        }
                    }
                });
            }
        });
        assert_index_agrees(&server, 5);
    }
}

/// Asks for each value with the index and, spelt so that no index helps, without.
fn assert_index_agrees(server: &Services, values: i32) {
    for value in 0..values {
        let find = |filter: Document| {
            ids(&server.ok(doc! { "find": "c", "filter": filter, "sort": { "_id": 1 }, "$db": "d" }))
        };
        assert_eq!(
            find(doc! { "a": value }),
            find(doc! { "$or": [{ "a": value }] }),
            "{value}"
        );
    }
    let counted = |filter: Document| {
        server
            .ok(doc! { "count": "c", "query": filter, "$db": "d" })
            .get_i32("n")
            .unwrap()
    };
    assert_eq!(
        counted(doc! { "a": { "$gte": 1 } }),
        counted(doc! { "$nor": [{ "a": { "$not": { "$gte": 1 } } }] })
    );
}

/// One write: what it does, to which document, with which value.
fn writes() -> impl Strategy<Value = Vec<(u8, i32, i32)>> {
    proptest::collection::vec((0..7_u8, 0..6_i32, 0..4_i32), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_writes_leave_the_index_as_the_documents_are(writes in writes(), at in 0..40_usize) {
        let server = support::server(EngineChoice::Memory);
        for (turn, (kind, id, value)) in writes.into_iter().enumerate() {
            if turn == at % 10 {
                create(&server, doc! { "a": 1 }, "a_1", doc! {});
            }
            let update = |q: Document, u: Document, multi: bool| doc! {
                "update": "c", "updates": [{ "q": q, "u": u, "multi": multi, "upsert": !multi }], "$db": "d"
            };
            server.ask(match kind {
                0 => doc! { "insert": "c", "documents": [{ "_id": id, "a": value }], "$db": "d" },
                1 => doc! { "insert": "c", "documents": [{ "_id": id, "a": [value, id] }], "$db": "d" },
                2 => update(doc! { "_id": id }, doc! { "$set": { "a": value } }, false),
                3 => update(doc! { "a": value }, doc! { "$set": { "a": id % 4 } }, true),
                4 => update(doc! { "_id": id }, doc! { "$unset": { "a": 1 } }, false),
                5 => update(doc! { "_id": id }, doc! { "$set": { "a": [] } }, false),
                _ => doc! { "delete": "c", "deletes": [{ "q": { "a": value }, "limit": value % 2 }], "$db": "d" },
            });
        }
        create(&server, doc! { "a": 1 }, "a_1", doc! {});
        assert_index_agrees(&server, 6);
    }
}
