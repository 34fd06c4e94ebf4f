//! What a durable engine has acknowledged is there after the death of the server.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use bson::{Document, doc};
use mongodb::sync::Client;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use support::Serve;

const WRITERS: i32 = 4;
const PER_WRITER: i32 = 4_000;
/// Acknowledged writes after which the server is killed; far from the end of what the writers would write.
const KILL_AFTER: usize = 1_500;

#[test]
fn sigkill_loses_no_acknowledged_write() {
    for engine in support::DURABLE {
        kill_and_look(engine);
    }
}

fn kill_and_look(engine: &str) {
    let folder = tempfile::tempdir().unwrap();
    let server = Serve::durable(engine, folder.path());
    let uri = server.uri();
    let acknowledged: Mutex<HashMap<i32, i32>> = Mutex::default();
    let count = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (uri, acknowledged, count) = (&uri, &acknowledged, &count);
            scope.spawn(move || {
                let client = Client::with_uri_str(uri).unwrap();
                let things = client.database("test").collection::<Document>("things");
                for step in 0..PER_WRITER {
                    // Each document is inserted, and then updated twice.
                    let (id, version) = (writer * PER_WRITER + step / 3, step % 3);
                    let done = match version {
                        0 => things.insert_one(doc! { "_id": id, "version": 0 }).run().is_ok(),
                        _ => things
                            .update_one(doc! { "_id": id }, doc! { "$set": { "version": version } })
                            .run()
                            .is_ok(),
                    };
                    if !done {
                        return;
                    }
                    acknowledged.lock().unwrap().insert(id, version);
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        while count.load(Ordering::SeqCst) < KILL_AFTER {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        server.kill();
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    let written = count.into_inner();
    assert!(
        written < (WRITERS * PER_WRITER).unsigned_abs() as usize,
        "the server was killed too late to prove anything"
    );

    let server = Serve::durable(engine, folder.path());
    let client = Client::with_uri_str(server.uri()).unwrap();
    let things = client.database("test").collection::<Document>("things");
    let stored: HashMap<i32, i32> = things
        .find(doc! {})
        .run()
        .unwrap()
        .map(|document| {
            let document = document.unwrap();
            (
                document.get_i32("_id").unwrap(),
                document.get_i32("version").unwrap(),
            )
        })
        .collect();
    for (id, version) in acknowledged {
        // A write that was under way when the server died may be there without having been acknowledged.
        assert!(
            stored.get(&id).is_some_and(|&found| found >= version),
            "{engine}: {id}: {version} against {:?}",
            stored.get(&id)
        );
    }
    assert_eq!(
        things.estimated_document_count().run().unwrap(),
        stored.len() as u64
    );
}

#[test]
fn a_full_disk_is_named_also_by_later_errors() {
    // As good as a full disk: no file may grow. The signal that would end the server for it is ignored.
    let script = format!(
        "trap '' XFSZ; exec '{}' serve --port 0 --engine fjall",
        env!("CARGO_BIN_EXE_cede")
    );
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]);
    let server = Serve::spawn(command);
    let load = |records| {
        let uri = server.uri();
        let load = ["load", "--quiet", "--uri", &uri, "--connections=1"];
        let short = ["--seconds=0.1", "--set=warmup_s=0", "--set", records];
        support::run(&[&load[..], &short].concat())
    };
    assert!(load("records=100").status.success());
    let id = Pid::from_raw(server.pid().cast_signed());
    let nothing = Rlimit {
        current: Some(1),
        maximum: Some(1),
    };
    prlimit(id, Resource::Fsize, nothing).unwrap();
    // Another number of documents: they are dropped, which is a write.
    let first = support::stderr(&load("records=200"));
    assert!(
        first.contains("the storage engine failed: File too large"),
        "{first}"
    );
    let later = support::stderr(&load("records=200"));
    assert!(
        later.contains("no more writes since one failed: File too large"),
        "{later}"
    );
}
