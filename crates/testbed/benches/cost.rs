//! What the testbed itself costs, in CPU time: `cargo bench -p testbed`.
//!
//! Every figure is CPU time that the kernel counted, or a ratio within this run; still, run it on an idle machine. The
//! server runs in a process and on a CPU of its own, the client on the others.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a benchmark prints, and has nobody to report an error to"
)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use scenario::{Engine, Mix, Placement, PolicyChoice, Scenario};
use testbed::{
    client::{self, LoadOutcome, LoadPlan, Progress},
    descriptors,
    native::{CpuList, end_with_parent},
    server::{CedeStatus, Server, ServerPlan},
};

/// Sizes of a `find` by `_id` and of its reply, for the bare exchange.
const REQUEST_BYTES: usize = 120;
const REPLY_BYTES: usize = 1280;
const MEASURED: Duration = Duration::from_secs(3);
/// Rounds of the two kinds of exchange in turn, so that drift of the machine hits both.
const ROUNDS: usize = 3;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("echo") => half(&args, echo),
        Some("serve") => half(&args, || serve(&args[3])),
        // `cargo test --benches` passes no such flag and only wants to know that this compiles and starts.
        _ if !args.iter().any(|arg| arg == "--bench") => println!("run as `cargo bench -p testbed`"),
        _ => parent(),
    }
}

/// A child: bound to the first CPU, and gone with its parent.
fn half(args: &[String], body: impl FnOnce()) {
    end_with_parent(args[2].parse().unwrap()).unwrap();
    CpuList::available().unwrap().split_at(1).0.bind().unwrap();
    body();
}

fn parent() {
    let (_, others) = CpuList::available().unwrap().split_at(1);
    if others.is_empty() {
        println!("one CPU: client and server compete, read the figures as upper bounds");
    } else {
        others.bind().unwrap();
    }
    find_by_id();
    thousand_connections();
    client_share();
}

fn find_by_id() {
    let (mut bare, mut find) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(bare_exchange_us());
        find.push(find_us());
    }
    println!("server CPU per exchange, 32 connections, the server's CPU saturated, {ROUNDS} rounds:");
    println!("  bare TCP ping-pong        {} us", spread(&mut bare));
    println!(
        "  find by _id, memory       {} us (target: at most 15 beyond the engine's work)",
        spread(&mut find)
    );
    println!(
        "  find / bare               {:.2}",
        find[ROUNDS / 2] / bare[ROUNDS / 2]
    );
}

fn spread(values: &mut [f64]) -> String {
    values.sort_by(f64::total_cmp);
    format!(
        "{:.1} ({:.1} to {:.1})",
        values[ROUNDS / 2],
        values[0],
        values[ROUNDS - 1]
    )
}

fn find_us() -> f64 {
    let server = Half::start("serve", "memory");
    let plan = LoadPlan {
        think: Duration::ZERO,
        mix: Mix::Ycsb { read_percent: 100 },
        ..plan(&server, 32)
    };
    let (outcome, server_us) = measure(&plan);
    assert_eq!(outcome.errors, 0);
    server_us / outcome.operation_count() as f64
}

fn thousand_connections() {
    descriptors::reserve(4_000).unwrap();
    let server = Half::start("serve", "memory");
    let plan = LoadPlan {
        measured: Duration::from_millis(100),
        ..plan(&server, 1_000)
    };
    let (mut opening, mut opened) = (None, None);
    client::run(&plan, &AtomicBool::new(false), &mut |progress| match progress {
        Progress::Opening => opening = Some(Instant::now()),
        Progress::WarmingUp => opened = Some(Instant::now()),
        _ => {}
    })
    .unwrap();
    let took = opened.unwrap() - opening.unwrap();
    println!(
        "1,000 connections open and greeted in {:.2} s (target: under 2)",
        took.as_secs_f64()
    );
}

fn client_share() {
    let server = Half::start("serve", "synthetic");
    let plan = LoadPlan {
        mix: Mix::Ycsb { read_percent: 50 },
        ..plan(&server, 128)
    };
    let (outcome, server_us) = measure(&plan);
    let client_us = outcome.cpu.as_secs_f64() * 1e6;
    let share = 100.0 * client_us / (client_us + server_us);
    println!(
        "client's share of the pair's CPU, 128 connections, 50/50, synthetic: {share:.0} % (target: under 50)"
    );
}

fn plan(server: &Half, connections: u32) -> LoadPlan {
    LoadPlan {
        address: server.address,
        database: client::DEFAULT_DATABASE.to_owned(),
        collection: client::DEFAULT_COLLECTION.to_owned(),
        connections,
        threads: 1,
        think: Duration::from_micros(100),
        rate_ops: 0,
        mix: Mix::Ycsb { read_percent: 50 },
        records: 1_000,
        warmup: Duration::from_millis(500),
        measured: MEASURED,
        seed: 1,
        load_phase: true,
    }
}

/// Runs the load; gives its outcome and the server's CPU time in it, in us.
fn measure(plan: &LoadPlan) -> (LoadOutcome, f64) {
    let outcome = client::run(plan, &AtomicBool::new(false), &mut |_| ()).unwrap();
    let status = outcome.status.clone().unwrap();
    let cpu = |document: bson::Document| -> u64 {
        let section = document.get_document("cede").unwrap().clone();
        bson::deserialize_from_document::<CedeStatus>(section)
            .unwrap()
            .process_cpu_nanos
    };
    let server_us = (cpu(status.after) - cpu(status.before)) as f64 / 1e3;
    (outcome, server_us)
}

fn serve(engine: &str) {
    let scenario = Scenario {
        engine: engine.parse::<Engine>().unwrap(),
        ..Scenario::default()
    };
    let plan = ServerPlan {
        scenario,
        policy: PolicyChoice::None,
        placement: Placement::None,
        port: 0,
        folder: None,
    };
    let server = Server::start(&plan, |line| println!("{line}")).unwrap();
    println!("{}", server.address());
    std::thread::sleep(Duration::from_secs(600));
}

/// A thread per connection that answers each request with bytes, and tells its CPU time on request.
fn echo() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        stream.set_nodelay(true).unwrap();
        std::thread::spawn(move || {
            let (mut request, mut reply) = ([0; REQUEST_BYTES], [0; REPLY_BYTES]);
            while stream.read_exact(&mut request).is_ok() {
                let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
                if request[0] == 1 {
                    let ns = u64::try_from(Duration::try_from(cpu).unwrap().as_nanos()).unwrap();
                    reply[..8].copy_from_slice(&ns.to_le_bytes());
                }
                if stream.write_all(&reply).is_err() {
                    return;
                }
            }
        });
    }
}

fn bare_exchange_us() -> f64 {
    let server = Half::start("echo", "");
    let (exchanges, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let connect = || {
        let stream = TcpStream::connect(server.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    };
    let exchange = |stream: &mut TcpStream, wants_cpu: u8| {
        let (mut request, mut reply) = ([0; REQUEST_BYTES], [0; REPLY_BYTES]);
        request[0] = wants_cpu;
        stream.write_all(&request).unwrap();
        stream.read_exact(&mut reply).unwrap();
        u64::from_le_bytes(reply[..8].try_into().unwrap())
    };
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                let mut stream = connect();
                while !stop.load(Ordering::Relaxed) {
                    exchange(&mut stream, 0);
                    exchanges.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut control = connect();
        std::thread::sleep(Duration::from_millis(500));
        let (cpu, count) = (exchange(&mut control, 1), exchanges.load(Ordering::Relaxed));
        std::thread::sleep(MEASURED);
        let (cpu_after, count_after) = (exchange(&mut control, 1), exchanges.load(Ordering::Relaxed));
        stop.store(true, Ordering::Relaxed);
        (cpu_after - cpu) as f64 / 1e3 / (count_after - count) as f64
    })
}

/// This program again, as a server.
struct Half {
    child: Child,
    address: SocketAddr,
}

impl Half {
    fn start(kind: &str, engine: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([kind, &std::process::id().to_string(), engine])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        Self {
            address: line.trim().parse().unwrap(),
            child,
        }
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
