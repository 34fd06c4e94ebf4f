//! Commands about collections, the server and its parameters; and pipelines.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use bson::{Bson, Document, doc};
use support::{Asking, first_batch};
use testbed::server::Services;

fn names(reply: &Document) -> Vec<String> {
    let of = |document: &Document| document.get_str("name").unwrap().to_owned();
    first_batch(reply).iter().map(of).collect()
}

#[test]
fn collections_come_are_listed_and_go() {
    for server in support::servers() {
        server.ok(doc! { "create": "empty", "$db": "d" });
        server.error(doc! { "create": "empty", "$db": "d" }, 48);
        server.error(doc! { "create": "x", "capped": true, "$db": "d" }, 2);
        server.ok(doc! { "insert": "full", "documents": [{ "_id": 1 }], "$db": "d" });
        server.ok(doc! { "insert": "other", "documents": [{ "_id": 1 }], "$db": "e" });
        assert_eq!(
            names(&server.ok(doc! { "listCollections": 1, "$db": "d" })),
            ["empty", "full"]
        );
        let one = doc! { "listCollections": 1, "nameOnly": true, "filter": { "name": "full" }, "$db": "d" };
        assert_eq!(
            first_batch(&server.ok(one)),
            [doc! { "name": "full", "type": "collection" }]
        );
        let databases = server.ok(doc! { "listDatabases": 1, "nameOnly": true, "$db": "admin" });
        assert_eq!(
            databases.get_array("databases").unwrap(),
            &vec![Bson::from(doc! { "name": "d" }), doc! { "name": "e" }.into()]
        );
        assert_eq!(
            server
                .ok(doc! { "collStats": "full", "$db": "d" })
                .get_i64("count")
                .unwrap(),
            1
        );
        let stats = server.ok(doc! { "dbStats": 1, "$db": "d" });
        assert_eq!(
            (
                stats.get_i64("collections").unwrap(),
                stats.get_i64("objects").unwrap()
            ),
            (2, 1)
        );
        assert_eq!(
            server
                .ok(doc! { "drop": "full", "$db": "d" })
                .get_i32("nIndexesWas")
                .unwrap(),
            1
        );
        server.ok(doc! { "drop": "full", "$db": "d" });
        server.ok(doc! { "dropDatabase": 1, "$db": "d" });
        assert_eq!(server.catalog.namespaces(), ["e.other"]);
    }
}

fn aggregate(server: &Services, pipeline: &[Document]) -> Vec<Document> {
    first_batch(
        &server.ok(doc! { "aggregate": "c", "pipeline": pipeline.to_vec(), "cursor": {}, "$db": "d" }),
    )
}

#[test]
fn pipelines_calculate() {
    for server in support::servers() {
        let things: Vec<_> = (1..=6)
            .map(|id| doc! { "_id": id, "kind": if id % 2 == 0 { "even" } else { "odd" }, "n": id, "in": { "x": 2 * id } })
            .collect();
        server.ok(doc! { "insert": "c", "documents": things, "$db": "d" });
        assert_eq!(
            aggregate(
                &server,
                &[
                    doc! { "$match": { "n": { "$gt": 1 } } },
                    doc! { "$group": {
                        "_id": "$kind", "n": { "$sum": 1 }, "sum": { "$sum": "$n" }, "mean": { "$avg": "$n" },
                        "least": { "$min": "$in.x" }, "most": { "$max": "$n" }, "all": { "$count": {} },
                    } },
                    doc! { "$sort": { "_id": -1 } },
                ]
            ),
            [
                doc! { "_id": "odd", "n": 2, "sum": 8, "mean": 4.0, "least": 6, "most": 5, "all": 2 },
                doc! { "_id": "even", "n": 3, "sum": 12, "mean": 4.0, "least": 4, "most": 6, "all": 3 },
            ]
        );
        assert_eq!(
            aggregate(
                &server,
                &[
                    doc! { "$sort": { "n": -1 } },
                    doc! { "$skip": 1 },
                    doc! { "$limit": 2 },
                    doc! { "$project": { "_id": 0, "n": 1, "x": "$in.x", "one": { "$literal": 1 } } },
                ]
            ),
            [
                doc! { "n": 5, "x": 10, "one": 1 },
                doc! { "n": 4, "x": 8, "one": 1 }
            ]
        );
        assert_eq!(
            aggregate(&server, &[doc! { "$match": { "n": 9 } }, doc! { "$count": "n" }]),
            Vec::<Document>::new()
        );
        assert_eq!(aggregate(&server, &[doc! { "$count": "n" }]), [doc! { "n": 6 }]);
        assert_eq!(
            aggregate(&server, &[doc! { "$limit": 4 }, doc! { "$count": "n" }]),
            [doc! { "n": 4 }],
            "a limit in front of what needs all"
        );
        for (pipeline, code) in [
            (doc! { "$lookup": {} }, 40324),
            (doc! { "$limit": 0 }, 2),
            (doc! { "$group": { "n": { "$sum": 1 } } }, 2),
            (doc! { "$project": { "a": { "$add": [1, 2] } } }, 2),
            (doc! { "$match": 1 }, 14),
            (doc! { "$limit": 1, "$skip": 1 }, 14),
        ] {
            server.error(
                doc! { "aggregate": "c", "pipeline": [pipeline], "cursor": {}, "$db": "d" },
                code,
            );
        }
        let values =
            server.ok(doc! { "distinct": "c", "key": "kind", "query": { "n": { "$lt": 3 } }, "$db": "d" });
        assert_eq!(
            values.get_array("values").unwrap(),
            &vec![Bson::from("even"), "odd".into()]
        );
        let counted = server.ok(doc! { "count": "c", "query": { "kind": "odd" }, "limit": 2, "$db": "d" });
        assert_eq!(counted.get_i32("n").unwrap(), 2);
    }
}

#[test]
fn parameters_change_while_the_server_runs() {
    let server = support::server(scenario::Engine::Memory);
    let set = |name: &str, value: &str| server.ask(doc! { "setParameter": 1, name: value, "$db": "admin" });
    assert_eq!(set("policy", "patience").get_str("was").unwrap(), "none");
    assert_eq!(
        set("placement", "before-dispatch").get_str("was").unwrap(),
        "none"
    );
    assert_eq!(set("guard", "active").get_str("was").unwrap(), "connections");
    assert_eq!(set("admission", "fixed:5").get_str("was").unwrap(), "none");
    let all = server.ok(doc! { "getParameter": "*", "$db": "admin" });
    for (name, value) in [
        ("policy", "patience"),
        ("placement", "before-dispatch"),
        ("guard", "active"),
        ("admission", "fixed:5"),
    ] {
        assert_eq!(all.get_str(name).unwrap(), value);
    }
    let one = server.ok(doc! { "getParameter": 1, "guard": 1, "$db": "admin" });
    assert_eq!(one, doc! { "guard": "active", "ok": 1.0 });
    let bad = set("policy", "kind");
    assert!(
        bad.get_str("errmsg")
            .unwrap()
            .contains("expected one of: native, none, nap"),
        "{bad}"
    );
    assert_eq!(bad.get_i32("code").unwrap(), 2);
    server.error(doc! { "setParameter": 1, "policy": 5, "$db": "admin" }, 14);
    server.error(doc! { "setParameter": 1, "nonsense": "x", "$db": "admin" }, 72);
    server.error(doc! { "getParameter": 1, "nonsense": 1, "$db": "admin" }, 72);
    server.error(doc! { "setParameter": 1, "quiet": true, "$db": "admin" }, 20);
}

#[test]
fn the_status_has_every_field() {
    let server = support::server(scenario::Engine::Memory);
    server.ok(doc! { "insert": "c", "documents": [{ "_id": 1 }], "$db": "d" });
    let status = server.ok(doc! { "serverStatus": 1, "$db": "admin" });
    for path in [
        "connections.available",
        "connections.establishmentRateLimit.rejected",
        "extra_info.user_time_us",
        "extra_info.involuntary_context_switches",
        "globalLock.currentQueue.total",
        "metrics.cursor.open.total",
        "network.serviceExecutors.passthrough.threadsRunning",
        "network.serviceExecutors.inline.clientsInTotal",
        "network.numRequests",
        "opLatencies.reads.latency",
        "opLatencies.commands.ops",
        "opcounters.getmore",
        "cede.yields.beforeReceive.totalMicros",
        "cede.yields.afterSend.skippedByGuard",
        "cede.yields.histogram",
        "cede.parks",
        "cede.active",
        "cede.patienceNanos",
        "cede.era",
        "cede.policy",
    ] {
        let mut names = path.split('.');
        let last = names.next_back().unwrap();
        let section = names.fold(&status, |section, name| section.get_document(name).unwrap());
        assert!(section.contains_key(last), "{path}");
    }
    assert_eq!(
        status
            .get_document("opcounters")
            .unwrap()
            .get_i64("insert")
            .unwrap(),
        1
    );
}

#[test]
fn what_shells_and_drivers_ask_at_their_start_is_answered() {
    let server = support::server(scenario::Engine::Memory);
    for name in [
        "ping",
        "buildInfo",
        "hello",
        "connectionStatus",
        "currentOp",
        "getCmdLineOpts",
        "hostInfo",
        "whatsmyuri",
        "startSession",
    ] {
        server.ok(doc! { name: 1, "$db": "admin" });
    }
    server.ok(doc! { "getLog": "startupWarnings", "$db": "admin" });
    server.ok(doc! { "aggregate": 1, "pipeline": [{ "$currentOp": {} }], "cursor": {}, "$db": "admin" });
    server.error(doc! { "replSetGetStatus": 1, "$db": "admin" }, 76);
    server.error(doc! { "atlasVersion": 1, "$db": "admin" }, 59);
}
