//! The `mongodb` crate against `cede serve`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use bson::{Document, doc};
use mongodb::{
    IndexModel,
    error::ErrorKind,
    options::{IndexOptions, ReturnDocument},
    sync::{Client, Collection},
};
use support::Serve;

#[test]
fn the_rust_driver_reads_and_writes() {
    for engine in support::engines() {
        let server = Serve::start(&["--engine", engine]);
        let client = Client::with_uri_str(server.uri()).unwrap();
        let things = client.database("test").collection::<Document>("things");

        let many: Vec<_> = (0..250).map(|id| doc! { "_id": id, "value": "old" }).collect();
        assert_eq!(things.insert_many(&many).run().unwrap().inserted_ids.len(), 250);
        let duplicate = things.insert_one(doc! { "_id": 7 }).run().unwrap_err();
        let ErrorKind::Write(mongodb::error::WriteFailure::WriteError(error)) = duplicate.kind.as_ref()
        else {
            panic!("{duplicate}");
        };
        assert_eq!(error.code, 11000);

        assert_eq!(
            things.find_one(doc! { "_id": 7 }).run().unwrap(),
            Some(doc! { "_id": 7, "value": "old" })
        );
        assert_eq!(things.find_one(doc! { "_id": 1000 }).run().unwrap(), None);
        let updated = things
            .update_one(doc! { "_id": 7 }, doc! { "$set": { "value": "new" } })
            .run()
            .unwrap();
        assert_eq!((updated.matched_count, updated.modified_count), (1, 1));
        let again = things
            .update_one(doc! { "_id": 7 }, doc! { "$set": { "value": "new" } })
            .run()
            .unwrap();
        assert_eq!((again.matched_count, again.modified_count), (1, 0));
        let missing = things
            .update_one(doc! { "_id": 1000 }, doc! { "$set": { "value": "new" } })
            .run()
            .unwrap();
        assert_eq!(missing.matched_count, 0);

        assert_eq!(things.count_documents(doc! {}).run().unwrap(), 250);
        assert_eq!(things.count_documents(doc! { "_id": 7 }).run().unwrap(), 1);
        assert_eq!(things.estimated_document_count().run().unwrap(), 250);
        assert_eq!(things.find(doc! {}).run().unwrap().count(), 250);
        assert_eq!(
            things.delete_one(doc! { "_id": 7 }).run().unwrap().deleted_count,
            1
        );
        assert_eq!(things.delete_one(doc! {}).run().unwrap().deleted_count, 1);
        assert_eq!(things.delete_many(doc! {}).run().unwrap().deleted_count, 248);
        things.drop().run().unwrap();
        assert_eq!(things.estimated_document_count().run().unwrap(), 0);

        let admin = client.database("admin");
        let status = admin.run_command(doc! { "serverStatus": 1 }).run().unwrap();
        assert!(
            status.get_document("cede").unwrap().contains_key("transport"),
            "{status}"
        );
        let unknown = admin.run_command(doc! { "noSuchThing": 1 }).run().unwrap_err();
        let ErrorKind::Command(error) = unknown.kind.as_ref() else {
            panic!("{unknown}")
        };
        assert_eq!((error.code, error.code_name.as_str()), (59, "CommandNotFound"));
    }
}

#[test]
fn the_rust_driver_does_its_operations() {
    for engine in support::engines() {
        let server = Serve::start(&["--engine", engine]);
        operations(&Client::with_uri_str(server.uri()).unwrap());
    }
}

/// Would do the same against any MongoDB server.
fn operations(client: &Client) {
    let database = client.database("cede_operations_rust");
    database.drop().run().unwrap();
    let things = database.collection::<Document>("things");
    reads(&things);
    indexes(&things);
    updates(&things);
    find_and_modify(&things);
    aggregates(&things);

    assert_eq!(database.list_collection_names().run().unwrap(), ["things"]);
    database.create_collection("more").run().unwrap();
    things.drop_index("n_1").run().unwrap();
    things.drop().run().unwrap();
    assert_eq!(things.estimated_document_count().run().unwrap(), 0);
    database.drop().run().unwrap();
    let databases = client.list_database_names().run().unwrap();
    assert!(!databases.iter().any(|name| name == "cede_operations_rust"));
}

fn reads(things: &Collection<Document>) {
    let ids = |cursor: mongodb::sync::Cursor<Document>| -> Vec<i32> {
        cursor
            .map(|document| document.unwrap().get_i32("_id").unwrap())
            .collect()
    };
    let document = |id: i32| doc! { "_id": id, "n": id % 5, "in": { "x": -id }, "tags": [format!("t{}", id % 3), "all"] };
    things.insert_many((0..250).map(document)).run().unwrap();

    assert_eq!(
        things.find_one(doc! { "_id": 7 }).run().unwrap(),
        Some(document(7))
    );
    let mut all = ids(things.find(doc! {}).batch_size(40).run().unwrap());
    all.sort_unstable();
    assert_eq!(all, (0..250).collect::<Vec<_>>());
    let query = things
        .find(doc! { "n": 1 })
        .sort(doc! { "_id": -1 })
        .skip(1)
        .limit(3);
    assert_eq!(ids(query.run().unwrap()), [241, 236, 231]);
    let query = things
        .find(doc! { "_id": { "$in": [3, 1, 999] } })
        .sort(doc! { "_id": 1 });
    assert_eq!(ids(query.run().unwrap()), [1, 3]);
    let query = things
        .find(doc! { "in.x": { "$lt": -247 } })
        .sort(doc! { "_id": 1 });
    assert_eq!(ids(query.run().unwrap()), [248, 249]);
    let counted = things.count_documents(doc! { "tags": "t1", "n": { "$gte": 3 } });
    assert_eq!(counted.run().unwrap(), 33);
    let shown = things
        .find_one(doc! { "_id": 4 })
        .projection(doc! { "in.x": 1, "_id": 0 });
    assert_eq!(shown.run().unwrap(), Some(doc! { "in": { "x": -4 } }));
}

fn indexes(things: &Collection<Document>) {
    let unique = IndexOptions::builder().unique(true).sparse(true).build();
    for (key, options) in [(doc! { "n": 1 }, None), (doc! { "code": 1 }, Some(unique))] {
        let index = IndexModel::builder().keys(key).options(options).build();
        things.create_index(index).run().unwrap();
    }
    assert_eq!(
        things.list_index_names().run().unwrap(),
        ["_id_", "n_1", "code_1"]
    );
    assert_eq!(
        things
            .count_documents(doc! { "n": { "$gt": 2, "$lte": 4 } })
            .run()
            .unwrap(),
        100
    );
    let code = |id: i32| {
        things
            .update_one(doc! { "_id": id }, doc! { "$set": { "code": "a" } })
            .run()
    };
    assert_eq!(code(1).unwrap().modified_count, 1);
    let duplicate = code(2).unwrap_err();
    assert!(duplicate.to_string().contains("E11000"), "{duplicate}");
}

fn updates(things: &Collection<Document>) {
    let many = things
        .update_many(
            doc! { "n": 2 },
            doc! { "$inc": { "in.x": 5 }, "$push": { "tags": "new" } },
        )
        .run()
        .unwrap();
    assert_eq!((many.matched_count, many.modified_count), (50, 50));
    let add = doc! { "$push": { "items": { "sku": 1 } }, "$inc": { "total": 2.5 } };
    let cart = things
        .update_one(doc! { "_id": 1000 }, add)
        .upsert(true)
        .run()
        .unwrap();
    assert_eq!(cart.upserted_id, Some(1000.into()));
    let cart = things.find_one(doc! { "_id": 1000 }).run().unwrap();
    assert_eq!(
        cart,
        Some(doc! { "_id": 1000, "items": [{ "sku": 1 }], "total": 2.5 })
    );
    let replaced = things
        .replace_one(doc! { "_id": 1000 }, doc! { "whole": true })
        .run()
        .unwrap();
    assert_eq!(replaced.modified_count, 1);
    let unset = things
        .update_one(doc! { "_id": 7 }, doc! { "$unset": { "tags": 1 } })
        .run()
        .unwrap();
    assert_eq!(unset.modified_count, 1);
}

fn find_and_modify(things: &Collection<Document>) {
    let before = things.find_one_and_update(doc! { "n": 3 }, doc! { "$set": { "n": 33 } });
    let before = before.sort(doc! { "_id": -1 }).run().unwrap().unwrap();
    assert_eq!(
        (before.get_i32("_id").unwrap(), before.get_i32("n").unwrap()),
        (248, 3)
    );
    let after = things.find_one_and_update(doc! { "_id": 248 }, doc! { "$inc": { "n": 1 } });
    let after = after
        .return_document(ReturnDocument::After)
        .run()
        .unwrap()
        .unwrap();
    assert_eq!(after.get_i32("n").unwrap(), 34);
    assert!(
        things
            .find_one_and_delete(doc! { "n": 34 })
            .run()
            .unwrap()
            .is_some()
    );
    assert!(
        things
            .find_one_and_delete(doc! { "n": 34 })
            .run()
            .unwrap()
            .is_none()
    );
}

fn aggregates(things: &Collection<Document>) {
    let values = things.distinct("n", doc! { "_id": { "$lt": 20 } }).run().unwrap();
    assert_eq!(values, (0..5).map(bson::Bson::from).collect::<Vec<_>>());
    let groups = things.aggregate([
        doc! { "$match": { "n": { "$lte": 1 } } },
        doc! { "$group": { "_id": "$n", "count": { "$sum": 1 }, "least": { "$min": "$_id" } } },
        doc! { "$sort": { "_id": 1 } },
    ]);
    let groups: Vec<_> = groups.run().unwrap().map(Result::unwrap).collect();
    assert_eq!(
        groups,
        [
            doc! { "_id": 0, "count": 50, "least": 0 },
            doc! { "_id": 1, "count": 50, "least": 1 }
        ]
    );

    assert_eq!(
        things
            .delete_many(doc! { "n": { "$in": [0, 1] } })
            .run()
            .unwrap()
            .deleted_count,
        100
    );
}
