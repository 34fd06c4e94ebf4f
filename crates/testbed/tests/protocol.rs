//! What the server does with peers that misbehave, over real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_cmp,
    reason = "a test fails by panicking, also in its helpers; replies carry exact numbers"
)]

#[path = "support/sockets.rs"]
mod sockets;

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    time::Duration,
};

use bson::{Document, RawDocumentBuf, doc};
use scenario::{Placement, PolicyChoice};
use sockets::{ask, listening, message, reply};
use testbed::{
    server::Server,
    wire::{Flags, FrameBuffer, HEADER_BYTES, Message, OpCode, parse_reply},
};

/// Nothing here waits for the clock; this only keeps a broken server from hanging the tests for ever.
const NEVER: Duration = Duration::from_secs(60);

fn server() -> Server {
    listening(PolicyChoice::Native, Placement::Both)
}

fn connect(server: &Server) -> TcpStream {
    sockets::connect(server, NEVER)
}

fn assert_alive(server: &Server) {
    let answer = ask(&mut connect(server), &doc! { "ping": 1, "$db": "admin" });
    assert_eq!(answer.get_f64("ok").unwrap(), 1.0);
}

/// Sends what cannot be answered, and expects an error of this text and the end of the connection.
fn assert_refused(server: &Server, bytes: &[u8], expected: &str) {
    let mut stream = connect(server);
    stream.write_all(bytes).unwrap();
    let error = reply(&mut stream).unwrap_or_else(|| panic!("no error for: {expected}"));
    assert_eq!(error.get_f64("ok").unwrap(), 0.0);
    assert!(error.get_str("errmsg").unwrap().contains(expected), "{error}");
    assert_eq!(reply(&mut stream), None, "the connection is closed");
    assert_alive(server);
}

fn header(length: i32, op_code: i32) -> Vec<u8> {
    [length, 7, 0, op_code]
        .iter()
        .flat_map(|field| field.to_le_bytes())
        .collect()
}

#[test]
fn malformed_messages_get_an_error_and_the_server_lives_on() {
    let server = server();
    let ping = doc! { "ping": 1, "$db": "admin" };
    assert_refused(
        &server,
        &header(48_000_001, OpCode::Msg.code()),
        "expected 16 to 48000000",
    );
    assert_refused(&server, &header(3, OpCode::Msg.code()), "expected 16 to 48000000");
    assert_refused(
        &server,
        &header(-1, OpCode::Msg.code()),
        "expected 16 to 48000000",
    );
    assert_refused(&server, &header(16, 2012), "operation code 2012");
    assert_refused(&server, &header(16, OpCode::Msg.code()), "ends inside its flags");

    let mut checksum = message(Flags::CHECKSUM_PRESENT, &ping);
    *checksum.last_mut().unwrap() ^= 1;
    assert_refused(&server, &checksum, "checksum");

    let mut kind = message(Flags::default(), &ping);
    kind[HEADER_BYTES + 4] = 2;
    assert_refused(&server, &kind, "section kind 2");

    let mut bson = message(Flags::default(), &doc! { "ping": "text", "$db": "admin" });
    let text = bson.windows(4).position(|window| window == b"text").unwrap();
    bson[text] = 0xff;
    assert_refused(&server, &bson, "invalid BSON");
}

#[test]
fn a_checksum_is_answered_with_one() {
    let server = server();
    let mut stream = connect(&server);
    stream
        .write_all(&message(
            Flags::CHECKSUM_PRESENT,
            &doc! { "ping": 1, "$db": "admin" },
        ))
        .unwrap();
    let mut buffer = FrameBuffer::default();
    while buffer.frame().unwrap().is_none() {
        assert_ne!(buffer.receive(&mut stream).unwrap(), 0);
    }
    let (_, Message::Msg(answer)) = Message::parse(buffer.frame().unwrap().unwrap()).unwrap() else {
        panic!()
    };
    assert!(answer.flags.contains(Flags::CHECKSUM_PRESENT));
}

#[test]
fn a_message_may_come_in_pieces_and_messages_in_one_piece() {
    let server = server();
    let mut stream = connect(&server);
    let ping = message(Flags::default(), &doc! { "ping": 1, "$db": "admin" });
    for byte in &ping {
        stream.write_all(&[*byte]).unwrap();
    }
    assert!(reply(&mut stream).is_some());
    stream.write_all(&ping.repeat(3)).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    let length = u32::from_le_bytes(answers[..4].try_into().unwrap()) as usize;
    assert_eq!(answers.len(), 3 * length);
}

#[test]
fn the_legacy_handshake_is_answered_in_kind() {
    let server = server();
    let mut stream = connect(&server);
    let mut body = 0_i32.to_le_bytes().to_vec();
    body.extend_from_slice(b"admin.$cmd\0");
    body.extend_from_slice(&0_i32.to_le_bytes());
    body.extend_from_slice(&(-1_i32).to_le_bytes());
    body.extend_from_slice(
        RawDocumentBuf::try_from(&doc! { "isMaster": 1, "helloOk": true })
            .unwrap()
            .as_bytes(),
    );
    let mut query = header(
        i32::try_from(HEADER_BYTES + body.len()).unwrap(),
        OpCode::Query.code(),
    );
    query.extend_from_slice(&body);
    stream.write_all(&query).unwrap();
    let mut buffer = FrameBuffer::default();
    while buffer.frame().unwrap().is_none() {
        assert_ne!(buffer.receive(&mut stream).unwrap(), 0);
    }
    let answer = Document::try_from(parse_reply(buffer.frame().unwrap().unwrap()).unwrap()).unwrap();
    assert!(answer.get_bool("ismaster").unwrap());
    assert!(answer.get_bool("helloOk").unwrap());
    assert_eq!(answer.get_i32("maxWireVersion").unwrap(), 21);
}

#[test]
fn a_client_that_vanishes_frees_its_thread() {
    let server = server();
    let mut idle = connect(&server);
    ask(&mut idle, &doc! { "ping": 1, "$db": "admin" });
    let mut half = connect(&server);
    let ping = message(Flags::default(), &doc! { "ping": 1, "$db": "admin" });
    half.write_all(&ping[..ping.len() / 2]).unwrap();
    drop((idle, half));
    // Two threads end; the one that asks here is left.
    loop {
        let status = ask(&mut connect(&server), &doc! { "serverStatus": 1, "$db": "admin" });
        if status
            .get_document("connections")
            .unwrap()
            .get_i64("current")
            .unwrap()
            == 1
        {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn errors_of_commands_leave_the_connection_open() {
    let server = server();
    let mut stream = connect(&server);
    for (command, code) in [
        (doc! { "noSuchThing": 1, "$db": "admin" }, 59),
        (doc! { "ping": 1 }, 40571),
        (doc! { "find": 1, "$db": "test" }, 73),
        (
            doc! { "find": "c", "filter": { "a": { "$near": 1 } }, "$db": "test" },
            2,
        ),
        (doc! { "insert": "c", "documents": 1, "$db": "test" }, 14),
        (doc! {}, 9),
    ] {
        let answer = ask(&mut stream, &command);
        assert_eq!(
            (answer.get_f64("ok").unwrap(), answer.get_i32("code").unwrap()),
            (0.0, code),
            "{command}: {answer}"
        );
    }
    assert_eq!(
        ask(&mut stream, &doc! { "ping": 1, "$db": "admin" })
            .get_f64("ok")
            .unwrap(),
        1.0
    );
}
