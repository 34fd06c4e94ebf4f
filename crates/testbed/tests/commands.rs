//! What commands answer, over every engine that keeps documents.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use bson::{Bson, doc};
use support::{Asking, first_batch, ids};

#[test]
fn finds_by_fields_in_order_and_in_parts() {
    for server in support::servers() {
        let things: Vec<_> = (0..30)
            .map(|id| doc! { "_id": id, "n": id % 3, "in": { "x": 30 - id }, "l": [id, id + 100] })
            .collect();
        server.ok(doc! { "insert": "c", "documents": things, "$db": "d" });
        let find =
            |filter: bson::Document| doc! { "find": "c", "filter": filter, "sort": { "_id": 1 }, "$db": "d" };
        for (filter, expected) in [
            (doc! { "_id": 7 }, vec![7]),
            (doc! { "_id": { "$in": [3, 1, 99] } }, vec![1, 3]),
            (doc! { "_id": { "$gte": 27 } }, vec![27, 28, 29]),
            (doc! { "n": 1, "in.x": { "$lt": 6 } }, vec![25, 28]),
            (doc! { "l": 105 }, vec![5]),
            (doc! { "none": { "$exists": true } }, vec![]),
            (doc! { "$or": [{ "_id": 2 }, { "l": 4 }] }, vec![2, 4]),
        ] {
            assert_eq!(ids(&server.ok(find(filter.clone()))), expected, "{filter}");
        }
        let mut query = find(doc! { "n": { "$ne": 0 } });
        query.extend(doc! { "sort": { "n": -1, "in.x": 1 }, "skip": 1, "limit": 3, "projection": { "in": 1, "_id": 0 } });
        assert_eq!(
            first_batch(&server.ok(query)),
            [4, 7, 10].map(|x| doc! { "in": { "x": x } })
        );
        server.error(find(doc! { "n": { "$near": 1 } }), 2);
    }
}

#[test]
fn cursors_continue_and_end() {
    for server in support::servers() {
        let things: Vec<_> = (0..250).map(|id| doc! { "_id": id }).collect();
        server.ok(doc! { "insert": "c", "documents": things, "$db": "d" });
        for sort in [doc! {}, doc! { "_id": 1 }] {
            let first = server.ok(doc! { "find": "c", "sort": sort, "$db": "d" });
            let mut all = ids(&first);
            assert_eq!(all.len(), 101);
            let id = first.get_document("cursor").unwrap().get_i64("id").unwrap();
            assert_ne!(id, 0);
            let more = doc! { "getMore": id, "collection": "c", "batchSize": 100, "$db": "d" };
            all.extend(ids(&server.ok(more.clone())));
            assert_eq!(all.len(), 201);
            let last = server.ok(more.clone());
            all.extend(ids(&last));
            assert_eq!(last.get_document("cursor").unwrap().get_i64("id").unwrap(), 0);
            all.sort_unstable();
            assert_eq!(all, (0..250).collect::<Vec<_>>());
            server.error(more, 43);
        }
        let first = server.ok(doc! { "find": "c", "batchSize": 0, "$db": "d" });
        assert_eq!(ids(&first), Vec::<i32>::new());
        let id = first.get_document("cursor").unwrap().get_i64("id").unwrap();
        server.error(doc! { "getMore": id, "collection": "other", "$db": "d" }, 43);
        let killed = server.ok(doc! { "killCursors": "c", "cursors": [id, 5_i64], "$db": "d" });
        assert_eq!(
            killed.get_array("cursorsNotFound").unwrap().len(),
            2,
            "the wrong collection closed it"
        );
        let single = server.ok(doc! { "find": "c", "limit": -5, "$db": "d" });
        assert_eq!(ids(&single).len(), 5);
        server.error(doc! { "find": "c", "skip": -1, "$db": "d" }, 2);
    }
}

#[test]
fn updates_change_insert_and_replace() {
    for server in support::servers() {
        server.ok(doc! { "insert": "c", "documents": (0..4).map(|id| doc! { "_id": id, "n": id }).collect::<Vec<_>>(), "$db": "d" });
        let update = |q: bson::Document, u: bson::Document, multi: bool, upsert: bool| {
            let reply = server.ok(doc! { "update": "c", "updates": [{ "q": q, "u": u, "multi": multi, "upsert": upsert }], "$db": "d" });
            let ids = reply.get_array("upserted").map_or(0, Vec::len);
            (
                reply.get_i32("n").unwrap(),
                reply.get_i32("nModified").unwrap(),
                ids,
            )
        };
        assert_eq!(
            update(
                doc! { "n": { "$gte": 2 } },
                doc! { "$inc": { "n": 10 } },
                true,
                false
            ),
            (2, 2, 0)
        );
        assert_eq!(
            update(
                doc! { "n": { "$gte": 2 } },
                doc! { "$set": { "n": 0 } },
                false,
                false
            ),
            (1, 1, 0)
        );
        assert_eq!(
            update(doc! { "_id": 0 }, doc! { "$set": { "n": 0 } }, false, false),
            (1, 0, 0)
        );
        assert_eq!(
            update(doc! { "_id": 9 }, doc! { "$push": { "l": 1 } }, false, false),
            (0, 0, 0)
        );
        assert_eq!(
            update(doc! { "_id": 9 }, doc! { "$push": { "l": 1 } }, false, true),
            (1, 0, 1)
        );
        assert_eq!(
            update(doc! { "_id": 9 }, doc! { "$push": { "l": 2 } }, false, true),
            (1, 1, 0)
        );
        assert_eq!(server.one(doc! { "_id": 9 }), doc! { "_id": 9, "l": [1, 2] });
        assert_eq!(
            update(doc! { "_id": 9 }, doc! { "whole": true }, false, false),
            (1, 1, 0)
        );
        assert_eq!(server.one(doc! { "_id": 9 }), doc! { "_id": 9, "whole": true });
        let reply = server
            .ok(doc! { "update": "c", "updates": [{ "q": {}, "u": { "a": 1 }, "multi": true }], "$db": "d" });
        assert_eq!(support::write_error(&reply).get_i32("code").unwrap(), 9);
    }
}

#[test]
fn find_and_modify_shows_the_document_before_or_after() {
    for server in support::servers() {
        server.ok(
            doc! { "insert": "c", "documents": [{ "_id": 1, "n": 1 }, { "_id": 2, "n": 2 }], "$db": "d" },
        );
        let modify = |more: bson::Document| {
            let mut command = doc! { "findAndModify": "c", "$db": "d" };
            command.extend(more);
            server.ok(command)
        };
        let before = modify(
            doc! { "query": { "n": { "$gt": 0 } }, "sort": { "n": -1 }, "update": { "$inc": { "n": 5 } } },
        );
        assert_eq!(before.get_document("value").unwrap(), &doc! { "_id": 2, "n": 2 });
        assert_eq!(
            before.get_document("lastErrorObject").unwrap(),
            &doc! { "n": 1, "updatedExisting": true }
        );
        let after = modify(
            doc! { "query": { "_id": 2 }, "update": { "$inc": { "n": 1 } }, "new": true, "fields": { "_id": 0 } },
        );
        assert_eq!(after.get_document("value").unwrap(), &doc! { "n": 8 });
        let none = modify(doc! { "query": { "_id": 3 }, "update": { "$inc": { "n": 1 } } });
        assert_eq!(none.get("value"), Some(&Bson::Null));
        let inserted = modify(
            doc! { "query": { "_id": 3 }, "update": { "$inc": { "n": 1 } }, "new": true, "upsert": true },
        );
        assert_eq!(
            inserted.get_document("value").unwrap(),
            &doc! { "_id": 3, "n": 1 }
        );
        let removed = modify(doc! { "query": {}, "sort": { "n": 1 }, "remove": true });
        assert_eq!(removed.get_document("value").unwrap().get_i32("n").unwrap(), 1);
        server.error(doc! { "findAndModify": "c", "query": {}, "$db": "d" }, 9);
    }
}

#[test]
fn deletes_what_matches() {
    for server in support::servers() {
        server.ok(doc! { "insert": "c", "documents": (0..10).map(|id| doc! { "_id": id, "n": id % 2 }).collect::<Vec<_>>(), "$db": "d" });
        let delete = |q: bson::Document, limit: i32| {
            let reply =
                server.ok(doc! { "delete": "c", "deletes": [{ "q": q, "limit": limit }], "$db": "d" });
            reply.get_i32("n").unwrap()
        };
        assert_eq!(delete(doc! { "n": 1, "_id": { "$gt": 3 } }, 0), 3);
        assert_eq!(delete(doc! { "n": 1 }, 1), 1);
        assert_eq!(delete(doc! { "n": 5 }, 1), 0);
        assert_eq!(delete(doc! {}, 1), 1);
        assert_eq!(delete(doc! {}, 0), 5);
    }
}
