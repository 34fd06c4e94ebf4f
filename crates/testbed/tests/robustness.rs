//! What many clients, and clients that do not take part, leave behind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

#[path = "support/sockets.rs"]
mod sockets;

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    sync::mpsc,
    time::Duration,
};

use bson::{Document, doc};
use scenario::{Placement, PolicyChoice};
use sockets::{ask, listening};
use testbed::{server::Server, wire::Flags};

/// Nothing here waits for the clock; this only keeps a broken server from hanging the tests for ever.
const NEVER: Duration = Duration::from_secs(120);
/// Connections that come and go, and those that are open at a time.
const CONNECTIONS: usize = 10_000;
const WAVE: usize = 250;
/// A reply that no pair of socket buffers holds: two of them stay in the server.
const LARGE: usize = 12 << 20;
/// What the process may grow by in a test, in bytes: a fraction of what a leak of what is tested would come to.
const GROWTH: u64 = 256 << 20;

fn server() -> Server {
    listening(PolicyChoice::None, Placement::None)
}

fn connect(server: &Server) -> TcpStream {
    sockets::connect(server, NEVER)
}

fn message(command: &Document) -> Vec<u8> {
    sockets::message(Flags::default(), command)
}

fn reply(stream: &mut TcpStream) -> Document {
    sockets::reply(stream).expect("the server closed the connection")
}

fn ping() -> Document {
    doc! { "ping": 1, "$db": "admin" }
}

/// Puts a large document into `d.c`, and gives the command that reads it.
fn large(server: &Server) -> Document {
    let large = doc! { "_id": 1, "x": "x".repeat(LARGE) };
    ask(
        &mut connect(server),
        &doc! { "insert": "c", "documents": [large], "$db": "d" },
    );
    doc! { "find": "c", "filter": { "_id": 1 }, "$db": "d" }
}

fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = pages.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * rustix::param::page_size() as u64
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// Waits until no more than `most` threads are left.
fn wait_for_threads(most: usize) {
    while threads() > most {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn ten_thousand_connections_leave_no_thread_and_no_memory() {
    testbed::descriptors::reserve(4 * WAVE as u64).unwrap();
    let server = server();
    let wave = || {
        let mut open: Vec<_> = (0..WAVE).map(|_| connect(&server)).collect();
        for stream in &mut open {
            stream.write_all(&message(&ping())).unwrap();
        }
        for stream in &mut open {
            reply(stream);
        }
    };
    // The first wave allocates what is kept for the next ones.
    let threads_before = threads();
    wave();
    wait_for_threads(threads_before);
    let before = resident_bytes();
    for _ in 1..CONNECTIONS / WAVE {
        wave();
        wait_for_threads(threads_before);
    }
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < GROWTH, "{grown} bytes more");
    assert_eq!(server.services().executor.threads_created(), CONNECTIONS as u64);
}

#[test]
fn a_half_closed_connection_is_answered_and_ends() {
    let server = server();
    let mut stream = connect(&server);
    stream.write_all(&message(&ping()).repeat(2)).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    let length = u32::from_le_bytes(answers[..4].try_into().unwrap()) as usize;
    assert_eq!(answers.len(), 2 * length);
}

#[test]
fn a_slow_reader_gets_all_of_its_reply() {
    let server = server();
    let find = large(&server);
    let mut stream = connect(&server);
    stream.write_all(&message(&find)).unwrap();
    let mut received = 0;
    let mut piece = vec![0; 100_000];
    while received < LARGE {
        // Others are served between any two pieces.
        ask(&mut connect(&server), &ping());
        received += stream.read(&mut piece).unwrap();
    }
}

#[test]
fn a_client_that_stops_reading_costs_one_reply() {
    let server = server();
    let find = message(&large(&server));
    let before = resident_bytes();
    let mut stream = connect(&server);
    // As many requests as the sockets take: the server blocks with the first reply, and reads no further.
    stream
        .set_write_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let mut sent = 0;
    while sent < 100_000 {
        match stream.write_all(&find) {
            Ok(()) => sent += 1,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
            Err(error) => panic!("{error}"),
        }
    }
    for _ in 0..20 {
        ask(&mut connect(&server), &ping());
    }
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < GROWTH, "{grown} bytes more after {sent} requests");
    // Its thread is freed when it goes.
    drop(stream);
    while server.services().executor.threads_running() > 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_server_ends_whatever_its_clients_do() {
    let server = server();
    let find = message(&large(&server));
    let idle = connect(&server);
    let mut half = connect(&server);
    half.write_all(&find[..10]).unwrap();
    let mut deaf = connect(&server);
    deaf.write_all(&find.repeat(3)).unwrap();
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || {
        drop(server);
        done.send(()).unwrap();
    });
    ended.recv_timeout(NEVER).expect("the server ends");
    drop((idle, half, deaf));
}
