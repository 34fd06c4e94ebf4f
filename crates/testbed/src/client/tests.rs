//! The whole client against a server that misbehaves on demand. Nothing here depends on how fast the machine is.

mod failures;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use scenario::{Mix, Operation};

use super::{
    LoadError, LoadOutcome, LoadPlan, Progress,
    fake_server::{Answer, FakeServer, Seen},
    run,
    ycsb::Key,
};

/// Longer than any test: for runs that something else has to end.
const FOR_EVER: Duration = Duration::from_secs(600);

fn plan(server: &FakeServer) -> LoadPlan {
    LoadPlan {
        address: server.address,
        database: "ycsb".to_owned(),
        collection: "usertable".to_owned(),
        connections: 4,
        threads: 1,
        think: Duration::ZERO,
        rate_ops: 0,
        mix: Mix::Ycsb { read_percent: 50 },
        records: 1000,
        warmup: Duration::ZERO,
        measured: Duration::from_millis(100),
        seed: 1,
        load_phase: false,
    }
}

fn run_plan(plan: &LoadPlan) -> Result<LoadOutcome, LoadError> {
    run(plan, &AtomicBool::new(false), &mut |_| {})
}

fn well(_: &Seen) -> Answer {
    Answer::Well
}

/// Misbehaves on operations only.
fn on_operations(answer: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> FakeServer {
    FakeServer::start(move |seen| {
        if seen.is_operation() {
            answer(seen)
        } else {
            Answer::Well
        }
    })
}

#[test]
fn a_closed_loop_records_both_operations() {
    let server = FakeServer::start(well);
    let outcome = run_plan(&LoadPlan {
        warmup: Duration::from_millis(20),
        threads: 2,
        ..plan(&server)
    })
    .unwrap();
    assert!(outcome.complete);
    assert_eq!((outcome.errors, outcome.first_error.as_deref()), (0, None));
    assert_eq!(
        outcome.operations.keys().copied().collect::<Vec<_>>(),
        [Operation::Read, Operation::Update]
    );
    let count = outcome.operation_count();
    // At either border of the measured part, each connection can have one request with one end outside.
    assert!(
        outcome.requests.abs_diff(count) <= 4,
        "{} and {count}",
        outcome.requests
    );
    assert!(
        server.operations().len() as u64 > outcome.requests,
        "the warm-up is not recorded"
    );
    assert!((outcome.throughput_ops * outcome.seconds / count as f64 - 1.0).abs() < 1e-9);
    assert_eq!(
        server.state.overlaps.load(Ordering::SeqCst),
        0,
        "one request at a time"
    );
    let commands = outcome.commands;
    assert_eq!(commands.total(), server.state.seen.lock().unwrap().len() as u64);
    // A control connection to see whether the server is there, and three that shake hands and ask for its status.
    assert_eq!(commands.control, 4 + 1 + 3 * 2);
    assert_eq!(commands.measured, count);
    let status = outcome.status.unwrap();
    let requests = |status: &bson::Document| status.get_i64("requests").unwrap();
    assert!(requests(&status.after) >= requests(&status.before) + i64::try_from(count).unwrap());
    for operation in outcome.operations.values() {
        assert!(operation.p50_us <= operation.p90_us && operation.p999_us <= operation.max_us);
        let in_buckets: u64 = operation.distribution.0.iter().map(|(_, count)| count).sum();
        assert_eq!(in_buckets, operation.count);
    }
}

#[test]
fn think_time_keeps_a_connection_from_sending() {
    let server = FakeServer::start(well);
    run_plan(&LoadPlan {
        connections: 1,
        think: FOR_EVER,
        ..plan(&server)
    })
    .unwrap();
    assert_eq!(server.operations().len(), 1);
}

#[test]
fn connections_start_one_after_the_other() {
    let server = FakeServer::start(well);
    run_plan(&LoadPlan {
        think: FOR_EVER,
        ..plan(&server)
    })
    .unwrap();
    assert_eq!(server.operations().len(), 1, "the others' turn comes in minutes");
}

#[test]
fn think_time_orders_two_connections() {
    let server = FakeServer::start(well);
    let think = Duration::from_millis(5);
    run_plan(&LoadPlan {
        connections: 2,
        think,
        ..plan(&server)
    })
    .unwrap();
    let connections: Vec<_> = server.operations().iter().map(|seen| seen.connection).collect();
    let (one, other): (Vec<u64>, Vec<u64>) = connections
        .iter()
        .copied()
        .partition(|&number| number == connections[0]);
    assert!(
        one.len() >= 2 && one.len().abs_diff(other.len()) <= 2,
        "{connections:?}"
    );
}

#[test]
fn one_seed_gives_each_connection_the_same_operations() {
    let sequences = |seed, threads| {
        let enough = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&enough);
        let server = on_operations(move |seen| {
            stop.fetch_or(seen.earlier > 400, Ordering::SeqCst);
            Answer::Well
        });
        let plan = LoadPlan {
            seed,
            threads,
            measured: FOR_EVER,
            ..plan(&server)
        };
        let outcome = run(&plan, &enough, &mut |_| {}).unwrap();
        assert!(!outcome.complete && outcome.seconds < FOR_EVER.as_secs_f64());
        let mut by_connection: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for seen in server.operations() {
            let operations = by_connection.entry(seen.connection).or_default();
            operations.push(format!("{} {}", seen.command, seen.key));
        }
        // Which connection the server accepts first is not part of the promise.
        let mut sequences: Vec<_> = by_connection.into_values().collect();
        sequences.sort();
        sequences
    };
    let agree = |one: &[Vec<String>], other: &[Vec<String>]| {
        one.len() == 4
            && one.len() == other.len()
            && one
                .iter()
                .zip(other)
                .all(|(one, other)| one.iter().zip(other).all(|(one, other)| one == other))
    };
    let first = sequences(7, 1);
    assert!(agree(&first, &sequences(7, 1)));
    assert!(agree(&first, &sequences(7, 2)));
    assert!(!agree(&first, &sequences(8, 1)));
}

#[test]
fn open_loop_latency_counts_from_the_arrival() {
    let server = on_operations(|seen| match seen.earlier {
        200 => Answer::AfterStall(Duration::from_millis(200)),
        _ => Answer::Well,
    });
    let outcome = run_plan(&LoadPlan {
        rate_ops: 2000,
        measured: Duration::from_millis(800),
        ..plan(&server)
    })
    .unwrap();
    let stalled_us = server.state.stalled_ns.load(Ordering::SeqCst) as f64 / 1e3;
    assert!(stalled_us > 0.0, "the stall has come");
    let longest = outcome
        .operations
        .values()
        .map(|operation| operation.max_us)
        .fold(0.0, f64::max);
    assert!(longest >= stalled_us, "{longest} of {stalled_us}");
    let waited_long: u64 = outcome
        .operations
        .values()
        .flat_map(|operation| &operation.distribution.0)
        .filter(|(end_us, _)| *end_us > stalled_us / 2.0)
        .map(|(_, count)| count)
        .sum();
    // Some 200 arrive in the first half of the stall; the four connections alone would show four.
    assert!(
        waited_long > 50,
        "{waited_long} waited for half of the stall or longer"
    );
}

#[test]
fn what_an_open_loop_cannot_send_is_reported() {
    let server = on_operations(|_| Answer::Late(Duration::from_millis(5)));
    let outcome = run_plan(&LoadPlan {
        rate_ops: 1_000_000,
        ..plan(&server)
    })
    .unwrap();
    assert!(
        outcome.unsent > 10 * outcome.requests,
        "{} unsent, {} sent",
        outcome.unsent,
        outcome.requests
    );
}

#[test]
fn the_load_phase_inserts_what_is_missing() {
    let server = FakeServer::start(well);
    let plan = LoadPlan {
        load_phase: true,
        records: 1050,
        measured: Duration::from_millis(1),
        ..plan(&server)
    };
    let mut done = Vec::new();
    let mut phases = Vec::new();
    let mut progress = |progress| match progress {
        Progress::Loading { done: count, total } => {
            assert_eq!(total, 1050);
            done.push(count);
        }
        other => phases.push(other),
    };
    run(&plan, &AtomicBool::new(false), &mut progress).unwrap();
    assert!(done.is_sorted() && done.first() == Some(&0) && done.last() == Some(&1050));
    assert_eq!(
        phases,
        [
            Progress::Opening,
            Progress::WarmingUp,
            Progress::Measuring,
            Progress::Finishing
        ]
    );
    {
        let mut keys = server.state.keys.lock().unwrap();
        assert_eq!(keys.len(), 1050);
        assert!((0..1050).all(|number| keys.contains(&Key::of(number).to_string())));
        keys.insert("one too many".to_owned());
    }
    let inserts = server.count_of("insert");
    run_plan(&plan).unwrap();
    assert_eq!(
        server.count_of("insert"),
        2 * inserts,
        "a wrong number of documents: all anew"
    );
    run_plan(&plan).unwrap();
    assert_eq!(
        server.count_of("insert"),
        2 * inserts,
        "the right number: nothing to do"
    );
    assert_eq!(server.count_of("drop"), 2);
}

#[test]
fn a_failing_load_phase_says_how_far_it_came() {
    for (answer, words) in [
        (
            Answer::Refusal,
            "the server refused `insert`: as planned (Planned)",
        ),
        (
            Answer::NothingFound,
            "the server refused `insert`: 0 of 200 documents inserted",
        ),
        (Answer::Disconnect, "broke: the server closed it"),
    ] {
        let fails = |seen: &Seen| seen.command == "insert" && seen.earlier == 2;
        let server = FakeServer::start(move |seen| if fails(seen) { answer } else { Answer::Well });
        let error = run_plan(&LoadPlan {
            load_phase: true,
            records: 2000,
            ..plan(&server)
        })
        .unwrap_err();
        let LoadError::Load { inserted, total, .. } = &error else {
            panic!("{error}");
        };
        assert!((400..2000).contains(inserted) && *total == 2000, "{error}");
        assert!(error.to_string().ends_with(words), "{error}");
    }
}

#[test]
fn a_server_without_status_has_none() {
    let server = FakeServer::start(|seen| match seen.command.as_str() {
        "serverStatus" => Answer::Unknown,
        _ => Answer::Well,
    });
    let outcome = run_plan(&plan(&server)).unwrap();
    assert!(outcome.complete && outcome.status.is_none());
}

#[test]
fn outcomes_cross_a_pipe_as_json() {
    let server = FakeServer::start(well);
    let outcome = run_plan(&plan(&server)).unwrap();
    assert!(outcome.status.is_some());
    let json = serde_json::to_string(&outcome).unwrap();
    assert!(!json.contains('\n'));
    assert_eq!(serde_json::from_str::<LoadOutcome>(&json).unwrap(), outcome);
}

#[test]
fn many_connections_share_few_threads() {
    let server = FakeServer::start(well);
    let outcome = run_plan(&LoadPlan {
        connections: 300,
        threads: 3,
        think: Duration::from_millis(10),
        measured: Duration::from_millis(300),
        ..plan(&server)
    })
    .unwrap();
    assert!(outcome.complete && outcome.errors == 0);
    assert_eq!(server.count_of("hello"), 300 + 1 + 3);
}

#[test]
fn a_plan_that_makes_no_sense_is_refused() {
    let server = FakeServer::start(well);
    for wrong in [
        LoadPlan {
            connections: 0,
            ..plan(&server)
        },
        LoadPlan {
            records: 0,
            ..plan(&server)
        },
        LoadPlan {
            mix: Mix::Ycsb { read_percent: 101 },
            ..plan(&server)
        },
    ] {
        assert!(matches!(run_plan(&wrong), Err(LoadError::Plan(_))));
    }
    let endless = LoadPlan {
        connections: u32::MAX,
        ..plan(&server)
    };
    assert!(matches!(run_plan(&endless), Err(LoadError::Descriptors { .. })));
}
