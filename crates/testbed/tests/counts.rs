//! The client and the server count the same requests.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, also in its helpers"
)]

use std::{sync::atomic::AtomicBool, time::Duration};

use bson::Document;
use scenario::{Auto, Engine, Mix, Placement, PolicyChoice, Scenario};
use testbed::{
    client::{self, LoadOutcome, LoadPlan},
    server::{Server, ServerPlan},
};

const CONNECTIONS: u32 = 12;

fn server(engine: Engine) -> Server {
    let plan = ServerPlan {
        scenario: Scenario {
            engine,
            update_cpu_us: 20.0,
            read_cpu_us: 5.0,
            work_loops_per_us: Auto::Given(100.0),
            ..Scenario::default()
        },
        policy: PolicyChoice::Native,
        placement: Placement::Both,
        port: 0,
        folder: None,
    };
    Server::start(&plan, |line| panic!("{line}")).unwrap()
}

/// The same, at the yield points: how often threads came to them and how often they gave up the CPU.
fn yields(status: &Document) -> (u64, u64) {
    let at = |point, what| number(status, &["cede", "transport", point, what]);
    let both = |what| at("beforeReceive", what) + at("afterSend", what);
    (both("reached"), both("calls"))
}

fn load(server: &Server, change: impl FnOnce(&mut LoadPlan)) -> LoadOutcome {
    let mut plan = LoadPlan {
        address: server.address(),
        database: client::DEFAULT_DATABASE.to_owned(),
        collection: client::DEFAULT_COLLECTION.to_owned(),
        connections: CONNECTIONS,
        threads: 2,
        think: Duration::from_micros(100),
        rate_ops: 0,
        mix: Mix::Ycsb { read_percent: 50 },
        records: 1050,
        warmup: Duration::from_millis(50),
        measured: Duration::from_millis(100),
        seed: 1,
        load_phase: true,
    };
    change(&mut plan);
    client::run(&plan, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

fn number(status: &Document, path: &[&str]) -> u64 {
    let (last, sections) = path.split_last().unwrap();
    let section = sections
        .iter()
        .fold(status, |section, name| section.get_document(name).unwrap());
    u64::try_from(section.get_i64(last).unwrap()).unwrap()
}

fn decoded(status: &Document) -> u64 {
    number(status, &["cede", "transport", "requests"])
}

#[test]
fn all_that_was_sent_was_decoded() {
    for engine in [Engine::Memory, Engine::Synthetic] {
        for seed in 1..=4 {
            // Every second one in an open loop, and one without a load phase.
            let server = server(engine);
            let outcome = load(&server, |plan| {
                plan.seed = seed;
                plan.rate_ops = if seed % 2 == 0 { 3000 } else { 0 };
                plan.load_phase = seed != 3 || engine == Engine::Memory;
            });
            let commands = outcome.commands;
            let status = outcome.status.as_ref().unwrap();
            assert_eq!(
                commands.total(),
                decoded(&status.end),
                "{engine}, seed {seed}: {commands:?}"
            );
            assert_eq!(outcome.errors, 0, "{:?}", outcome.first_error);
            assert_eq!(commands.measured, outcome.operation_count());
            assert!(commands.warmup > 0 && commands.measured > 0);
            // Of each connection at most the one request that was under way.
            assert!(commands.drained <= u64::from(CONNECTIONS));
        }
    }
}

#[test]
fn failed_operations_are_counted_as_well() {
    let server = server(Engine::Memory);
    let outcome = load(&server, |plan| {
        plan.load_phase = false;
        plan.connections = 1;
    });
    assert_eq!(outcome.operation_count(), 0, "there is no document");
    assert_eq!(outcome.commands.measured, outcome.errors);
    assert_eq!(outcome.commands.total(), decoded(&outcome.status.unwrap().end));
}

#[test]
fn load_connections_stay_open_until_the_last_status() {
    let server = server(Engine::Memory);
    let outcome = load(&server, |_| {});
    let status = outcome.status.unwrap();
    for (name, reply) in [
        ("before", &status.before),
        ("after", &status.after),
        ("end", &status.end),
    ] {
        let open = number(reply, &["connections", "current"]);
        assert!(open > u64::from(CONNECTIONS), "{name}: {open}");
    }
    let between = decoded(&status.after) - decoded(&status.before);
    assert!(between >= outcome.commands.measured);
    assert!(decoded(&status.end) > decoded(&status.after));
}

#[test]
fn as_many_connections_as_cores_yield_to_nobody() {
    let server = server(Engine::Memory);
    let cores = u32::try_from(server.services().executor.plan().cores).unwrap();
    let yields_with = |connections| {
        let outcome = load(&server, |plan| {
            plan.connections = connections;
            plan.measured = Duration::from_millis(400);
        });
        let status = outcome.status.unwrap();
        let ((reached, calls), (reached_before, calls_before)) =
            (yields(&status.after), yields(&status.before));
        (reached - reached_before, calls - calls_before)
    };
    // But for the moments in which the status is read.
    let (reached, calls) = yields_with(cores);
    assert!(calls < reached / 2, "{calls} of {reached}");
    let (reached, calls) = yields_with(cores + 1);
    assert!(calls > reached / 2, "{calls} of {reached}");
}
