//! The `mongodb` crate against `cede serve`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use bson::{Document, doc};
use mongodb::{error::ErrorKind, sync::Client};
use support::Serve;

#[test]
fn the_rust_driver_reads_and_writes() {
    for engine in ["memory", "fjall"] {
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
