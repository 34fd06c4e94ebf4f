//! The state machine of a connection: which states it goes through, and which yield points it passes, by counts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_cmp,
    reason = "a test fails by panicking, also in its helpers; replies carry exact numbers"
)]

use std::io::{self, Cursor, Read, Write};

use bson::{RawDocumentBuf, doc};
use scenario::{Admission, Engine, Guard, GuardCounter, Placement, PolicyChoice, Scenario};
use testbed::{
    server::{
        ServerPlan, Services,
        admission::{Intent, TicketPool},
        transport::{SessionWorkflow, State},
    },
    wire::{Flags, FrameBuffer, Message, encode_msg},
};

/// A peer whose requests are all there from the start.
struct Script {
    requests: Cursor<Vec<u8>>,
    replies: Vec<u8>,
}

impl Read for Script {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        self.requests.read(space)
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.replies.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn services(placement: Placement, change: impl FnOnce(&mut Scenario)) -> Services {
    let mut scenario = Scenario {
        engine: Engine::Memory,
        ..Scenario::default()
    };
    change(&mut scenario);
    let plan = ServerPlan {
        scenario,
        policy: PolicyChoice::Native,
        placement,
        port: 0,
        folder: None,
    };
    Services::start(&plan, |line| panic!("{line}")).unwrap()
}

fn with_tickets(tickets: u32) -> Services {
    services(Placement::Both, |scenario| {
        scenario.admission = Admission::Fixed(tickets);
    })
}

/// Many sessions that stay idle, so that the guard finds more threads than cores.
fn crowd(services: &Services) -> Vec<SessionWorkflow<'_, Script>> {
    (0..=services.executor.plan().cores)
        .map(|_| SessionWorkflow::new(script(&[]), services))
        .collect()
}

fn script(requests: &[(Flags, bson::Document)]) -> Script {
    let mut bytes = Vec::new();
    for (id, (flags, command)) in (1..).zip(requests) {
        encode_msg(
            &mut bytes,
            id,
            0,
            *flags,
            &RawDocumentBuf::try_from(command).unwrap(),
            &[],
        );
    }
    Script {
        requests: Cursor::new(bytes),
        replies: Vec::new(),
    }
}

fn ping() -> bson::Document {
    doc! { "ping": 1, "$db": "admin" }
}

fn replies(script: Script) -> Vec<(i32, bson::Document)> {
    let (mut source, mut buffer, mut replies) =
        (Cursor::new(script.replies), FrameBuffer::default(), Vec::new());
    loop {
        while let Some(frame) = buffer.frame().unwrap() {
            let (header, Message::Msg(message)) = Message::parse(frame).unwrap() else {
                panic!("no OP_MSG")
            };
            replies.push((
                header.response_to,
                bson::Document::try_from(message.body).unwrap(),
            ));
            let length = frame.len();
            buffer.consume(length);
        }
        if buffer.receive(&mut source).unwrap() == 0 {
            assert!(buffer.is_empty(), "half a reply");
            return replies;
        }
    }
}

#[test]
fn a_request_goes_through_every_state_in_order() {
    let services = services(Placement::Both, |_| ());
    let mut workflow = SessionWorkflow::new(script(&[(Flags::default(), ping())]), &services);
    let mut states = vec![State::BeforeReceive];
    while let Some(&state) = states.last().filter(|state| **state != State::Closed) {
        states.push(workflow.step(state));
    }
    let expected = [
        State::BeforeReceive,
        State::Receive,
        State::Dispatch,
        State::Send,
        State::AfterSend,
        State::BeforeReceive,
        State::Receive,
        State::Closed,
    ];
    assert_eq!(states, expected);
}

#[test]
fn requests_pass_both_yield_points_also_without_a_reply() {
    let services = services(Placement::Both, |_| ());
    let crowd = crowd(&services);
    let requests = [
        (Flags::default(), ping()),
        (Flags::MORE_TO_COME, ping()),
        (Flags::default(), ping()),
    ];
    let served = SessionWorkflow::new(script(&requests), &services).run();
    assert_eq!(
        replies(served)
            .iter()
            .map(|(answers, _)| *answers)
            .collect::<Vec<_>>(),
        [1, 3]
    );
    let counts = services.executor.counts();
    assert_eq!(counts.requests, 3);
    // The receive that found the end of the stream was one more.
    assert_eq!((counts.before_receive.reached, counts.after_send.reached), (4, 3));
    assert_eq!((counts.before_receive.calls, counts.after_send.calls), (4, 3));
    assert_eq!(
        (
            counts.before_receive.skipped_by_guard,
            counts.after_send.skipped_by_guard
        ),
        (0, 0)
    );
    assert_eq!(
        services.executor.domain().snapshot().calls,
        7,
        "the primitive saw the same yields"
    );
    drop(crowd);
}

#[test]
fn only_the_yield_points_of_the_placement_yield() {
    for (placement, calls) in [
        (Placement::None, (0, 0)),
        (Placement::BeforeReceive, (3, 0)),
        (Placement::AfterSend, (0, 2)),
        (Placement::Both, (3, 2)),
        (Placement::BeforeDispatch, (3, 0)),
    ] {
        let services = services(placement, |_| ());
        let crowd = crowd(&services);
        SessionWorkflow::new(
            script(&[(Flags::default(), ping()), (Flags::default(), ping())]),
            &services,
        )
        .run();
        let counts = services.executor.counts();
        assert_eq!(
            (counts.before_receive.calls, counts.after_send.calls),
            calls,
            "{placement}"
        );
        assert_eq!(
            (counts.before_receive.reached, counts.after_send.reached),
            (3, 2),
            "{placement}"
        );
        let told = if placement == Placement::BeforeDispatch {
            2
        } else {
            0
        };
        assert_eq!(
            services.executor.domain().snapshot().requests,
            told,
            "{placement}"
        );
        drop(crowd);
    }
}

#[test]
fn the_guard_counts_what_the_scenario_says() {
    for counter in GuardCounter::ALL {
        let run = |guard, crowded: bool| {
            let services = services(Placement::Both, |scenario| {
                (scenario.guard, scenario.guard_counter) = (guard, *counter);
            });
            let crowd = if crowded { crowd(&services) } else { Vec::new() };
            SessionWorkflow::new(script(&[(Flags::default(), ping())]), &services).run();
            let counts = services.executor.counts();
            drop(crowd);
            (counts.after_send.calls, counts.after_send.skipped_by_guard)
        };
        assert_eq!(run(Guard::Connections, true), (1, 0), "idle connections count");
        assert_eq!(
            run(Guard::Connections, false),
            (0, 1),
            "one connection is never too many"
        );
        assert_eq!(run(Guard::Active, true), (0, 1), "idle connections do not count");
    }
}

#[test]
fn bytes_that_are_no_message_are_answered_and_end_the_connection() {
    let services = services(Placement::Both, |_| ());
    let mut bad = script(&[(Flags(1 << 5), ping()), (Flags::default(), ping())]);
    bad = SessionWorkflow::new(bad, &services).run();
    let replies = replies(bad);
    let [(1, error)] = replies.as_slice() else {
        panic!("{replies:?}")
    };
    assert_eq!(error.get_f64("ok").unwrap(), 0.0);
    assert!(
        error.get_str("errmsg").unwrap().contains("flag bits 0x20"),
        "{error}"
    );
}

fn insert() -> bson::Document {
    doc! { "insert": "c", "documents": [{ "_id": 1 }], "$db": "d" }
}

fn find() -> bson::Document {
    doc! { "find": "c", "filter": { "_id": 1 }, "$db": "d" }
}

#[test]
fn tickets_are_held_by_what_works_in_the_engine_and_given_back_before_the_reply() {
    let services = with_tickets(2);
    let write = doc! { "delete": "c", "deletes": [{ "q": { "_id": 2 }, "limit": 1 }], "$db": "d" };
    let requests = [ping(), insert(), find(), doc! { "count": "c", "$db": "d" }, write]
        .map(|command| (Flags::default(), command));
    let mut workflow = SessionWorkflow::new(script(&requests), &services);
    let (mut state, mut finished) = (State::BeforeReceive, Vec::new());
    while state != State::Closed {
        state = workflow.step(state);
        let pools = services.admission.pools();
        assert_eq!(pools.each(TicketPool::used).sum(), 0, "{state:?}");
        if state == State::Send {
            finished.push((pools.read.finished(), pools.write.finished()));
        }
    }
    assert_eq!(finished, [(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)]);
}

#[test]
fn a_write_waits_for_a_ticket_and_a_read_beside_it_does_not() {
    let services = with_tickets(1);
    let serve = |command| {
        let served = SessionWorkflow::new(script(&[(Flags::default(), command)]), &services).run();
        let (_, reply) = replies(served).remove(0);
        assert_eq!(reply.get_f64("ok").unwrap(), 1.0, "{reply}");
        reply
    };
    let ticket = services.admission.admit(Intent::Write);
    let waiting = || services.admission.pools().write.counts().queued;
    std::thread::scope(|scope| {
        scope.spawn(|| serve(insert()));
        while waiting() == 0 {
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
        serve(find());
        let status = serve(doc! { "serverStatus": 1, "$db": "admin" });
        let execution = status
            .get_document("queues")
            .unwrap()
            .get_document("execution")
            .unwrap();
        let of = |intent| {
            execution
                .get_document(intent)
                .unwrap()
                .get_document("normalPriority")
                .unwrap()
        };
        let numbers = |intent| {
            [
                "out",
                "available",
                "totalTickets",
                "queueLength",
                "finishedProcessing",
            ]
            .map(|field| of(intent).get_i64(field).unwrap())
        };
        assert_eq!(numbers("read"), [0, 1, 1, 0, 1]);
        assert_eq!(numbers("write"), [1, 0, 1, 1, 0]);
        drop(ticket);
    });
    assert_eq!(services.admission.pools().write.finished(), 2);
}

#[test]
fn the_status_has_every_field_of_the_tickets_also_where_there_are_none() {
    let services = services(Placement::Both, |_| ());
    let status = doc! { "serverStatus": 1, "$db": "admin" };
    let served = SessionWorkflow::new(script(&[(Flags::default(), status)]), &services).run();
    let (_, status) = replies(served).remove(0);
    assert!(!status.get_document("cede").unwrap().contains_key("admission"));
    let section = |outer: &str, inner: &str| {
        let outer = status.get_document(outer).unwrap();
        outer.get_document(inner).unwrap().clone()
    };
    let tickets = doc! { "out": 0_i64, "available": 0_i64, "totalTickets": 0_i64 };
    assert_eq!(
        section("wiredTiger", "concurrentTransactions"),
        doc! { "read": tickets.clone(), "write": tickets }
    );
    let execution = section("queues", "execution");
    assert!(!execution.get_bool("usesThroughputProbing").unwrap());
    let monitor = execution.get_document("monitor").unwrap();
    assert!(monitor.values().all(|value| value.as_i64() == Some(0)));
    assert_eq!(
        monitor.keys().map(String::as_str).collect::<Vec<_>>(),
        [
            "timesDecreased",
            "timesIncreased",
            "totalAmountDecreased",
            "totalAmountIncreased",
            "resizeDurationMicros",
            "timesProbedStable",
            "timesProbedUp",
            "timesProbedDown"
        ]
    );
    let write = execution.get_document("write").unwrap();
    assert_eq!(
        write.keys().map(String::as_str).collect::<Vec<_>>(),
        [
            "normalPriority",
            "lowPriority",
            "exempt",
            "nonDeprioritizable",
            "deprioritizable",
            "out",
            "available",
            "totalTickets"
        ]
    );
    for priority in ["normalPriority", "lowPriority"] {
        assert_eq!(write.get_document(priority).unwrap().len(), 18, "{priority}");
    }
}
