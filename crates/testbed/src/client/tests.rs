//! The whole client against a server that misbehaves on demand. Nothing here depends on how fast the machine is.

use std::{
    collections::BTreeMap,
    net::TcpListener,
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
    limits::Limits,
    run,
    run::run_within,
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
        mix: Mix { read_percent: 50 },
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
fn refused_operations_are_errors_and_the_load_goes_on() {
    for (answer, words) in [
        (Answer::Refusal, "as planned (Planned)"),
        (Answer::NothingFound, "found no document"),
    ] {
        let server = on_operations(move |seen| {
            if seen.earlier % 5 == 4 {
                answer
            } else {
                Answer::Well
            }
        });
        let outcome = run_plan(&plan(&server)).unwrap();
        let failed = server.operations().len() as u64 / 5;
        assert!(outcome.complete && outcome.errors > 0 && outcome.errors <= failed);
        assert!(outcome.first_error.unwrap().contains(words));
        let per_error = outcome
            .operations
            .values()
            .map(|operation| operation.count)
            .sum::<u64>()
            / outcome.errors;
        assert!((3..=5).contains(&per_error), "four of five succeed");
    }
}

#[test]
fn a_lost_connection_is_one_error_and_the_load_goes_on() {
    for (answer, words) in [
        (Answer::Disconnect, "closed a connection"),
        (Answer::WrongNumber, "a reply to request"),
        (Answer::Garbage, "malformed reply"),
    ] {
        let server = on_operations(move |seen| if seen.earlier == 20 { answer } else { Answer::Well });
        let outcome = run_plan(&plan(&server)).unwrap();
        assert!(outcome.complete);
        assert_eq!(outcome.errors, 1, "{answer:?}");
        assert!(
            outcome.first_error.as_ref().unwrap().contains(words),
            "{:?}",
            outcome.first_error
        );
        assert!(server.operations().len() > 30, "three connections are left");
    }
}

#[test]
fn an_open_loop_goes_on_without_a_lost_connection() {
    let server = on_operations(|seen| {
        if seen.earlier == 20 {
            Answer::Disconnect
        } else {
            Answer::Well
        }
    });
    let outcome = run_plan(&LoadPlan {
        rate_ops: 2000,
        ..plan(&server)
    })
    .unwrap();
    assert!(outcome.complete && outcome.errors == 1 && server.operations().len() > 30);
}

#[test]
fn a_server_that_vanishes_leaves_partial_numbers() {
    let server = on_operations(|seen| {
        if seen.earlier == 2000 {
            Answer::Vanish
        } else {
            Answer::Well
        }
    });
    let error = run_plan(&LoadPlan {
        measured: FOR_EVER,
        threads: 2,
        ..plan(&server)
    })
    .unwrap_err();
    let partial = error.partial().unwrap();
    assert!(!partial.complete);
    assert!(partial.operation_count() > 0 && partial.seconds > 0.0);
    assert_eq!(partial.errors, 4);
    let message = error.to_string();
    assert!(
        message.starts_with("all 4 connections to 127.0.0.1:"),
        "{message}"
    );
    assert!(message.contains(&format!(
        "after {} measured operations",
        partial.operation_count()
    )));
}

const IMPATIENT: Limits = Limits {
    reply: Duration::from_millis(100),
    drain: Duration::from_millis(100),
};

fn run_impatiently(plan: &LoadPlan) -> Result<LoadOutcome, LoadError> {
    run_within(plan, IMPATIENT, &AtomicBool::new(false), &mut |_| {})
}

#[test]
fn a_server_that_hangs_does_not_hang_the_client() {
    let server = on_operations(|_| Answer::Never);
    let error = run_impatiently(&LoadPlan {
        measured: FOR_EVER,
        ..plan(&server)
    })
    .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("after 0 measured operations: no reply for 0.1 s"),
        "{error}"
    );
}

#[test]
fn replies_that_never_come_do_not_hang_the_end() {
    let server = on_operations(|_| Answer::Never);
    let patient_in_the_run = Limits {
        reply: FOR_EVER,
        ..IMPATIENT
    };
    let outcome = run_within(
        &LoadPlan {
            measured: Duration::from_millis(50),
            ..plan(&server)
        },
        patient_in_the_run,
        &AtomicBool::new(false),
        &mut |_| {},
    )
    .unwrap();
    assert_eq!(outcome.errors, 4);
    assert!(outcome.first_error.unwrap().contains("after the end"));
}

#[test]
fn at_the_end_everything_sent_is_answered() {
    let server = on_operations(|_| Answer::Late(Duration::from_millis(30)));
    let outcome = run_plan(&plan(&server)).unwrap();
    assert!(outcome.complete && outcome.errors == 0);
    let answered = server.state.answered.load(Ordering::SeqCst);
    assert_eq!(answered, server.operations().len() as u64);
}

#[test]
fn a_server_that_is_not_there_is_one_clear_error() {
    let server = FakeServer::start(well);
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let error = run_plan(&LoadPlan {
        address: port,
        ..plan(&server)
    })
    .unwrap_err();
    assert!(matches!(error, LoadError::Connect { .. }));
    assert!(
        error
            .to_string()
            .starts_with(&format!("cannot connect to {port}: "))
    );
}

#[test]
fn a_handshake_can_fail_in_every_way() {
    // The first handshake is that of the control connection.
    for failing in [0, 2] {
        let run_with = |answer| {
            let fails = move |seen: &Seen| seen.command == "hello" && seen.earlier == failing;
            let server = FakeServer::start(move |seen| if fails(seen) { answer } else { Answer::Well });
            run_impatiently(&plan(&server)).unwrap_err()
        };
        assert!(matches!(
            run_with(Answer::Refusal),
            LoadError::Refused { command: "hello", .. }
        ));
        assert!(matches!(run_with(Answer::Disconnect), LoadError::Broken { .. }));
        assert!(matches!(run_with(Answer::Never), LoadError::Silent { .. }));
        let garbage = run_with(Answer::Garbage).to_string();
        assert!(garbage.contains("message length"), "{garbage}");
    }
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
    assert_eq!(server.count_of("hello"), 301);
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
            mix: Mix { read_percent: 101 },
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
