//! What fails, and what is kept of it.

use std::{
    net::TcpListener,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use super::{
    super::{
        LoadError, LoadOutcome, LoadPlan,
        fake_server::{Answer, FakeServer, Seen},
        limits::Limits,
        run::run_within,
    },
    FOR_EVER, on_operations, plan, run_plan, well,
};

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

/// A server that breaks one connection, in the middle of the load.
fn disconnects_once() -> FakeServer {
    on_operations(|seen| {
        if seen.earlier == 20 {
            Answer::Disconnect
        } else {
            Answer::Well
        }
    })
}

#[test]
fn an_open_loop_goes_on_without_a_lost_connection() {
    let server = disconnects_once();
    let outcome = run_plan(&LoadPlan {
        rate_ops: 2000,
        ..plan(&server)
    })
    .unwrap();
    assert!(outcome.complete && outcome.errors == 1 && server.operations().len() > 30);
}

#[test]
fn a_thread_without_connections_does_not_end_the_load() {
    let server = disconnects_once();
    let outcome = run_plan(&LoadPlan {
        connections: 2,
        threads: 2,
        ..plan(&server)
    })
    .unwrap();
    assert!(outcome.complete && outcome.errors == 1 && server.operations().len() > 30);
}

#[test]
fn connections_that_are_lost_after_the_end_do_not_spoil_the_result() {
    // The connections are idle from then on: nothing is lost that was measured.
    let server = FakeServer::start(|seen| match (seen.command.as_str(), seen.earlier) {
        ("serverStatus", 1) => Answer::Vanish,
        _ => Answer::Well,
    });
    let outcome = run_plan(&plan(&server)).unwrap();
    assert!(outcome.complete && outcome.operation_count() > 0);
    assert!(outcome.status.is_none(), "it is whole or not there");
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
