//! Servers with sockets, and whole messages over them.

use std::{io::Write, net::TcpStream, time::Duration};

use bson::{Document, RawDocumentBuf};
use scenario::{Engine, Placement, PolicyChoice, Scenario};
use testbed::{
    server::{Server, ServerPlan},
    wire::{Flags, FrameBuffer, Message, encode_msg},
};

/// A server that listens, with the engine in memory.
pub(crate) fn listening(policy: PolicyChoice, placement: Placement) -> Server {
    let scenario = Scenario {
        engine: Engine::Memory,
        ..Scenario::default()
    };
    let plan = ServerPlan {
        scenario,
        policy,
        placement,
        port: 0,
        folder: None,
    };
    Server::start(&plan, |line| panic!("{line}")).unwrap()
}

/// A connection on which no call takes longer than `never`.
pub(crate) fn connect(server: &Server, never: Duration) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(never)).unwrap();
    stream.set_write_timeout(Some(never)).unwrap();
    stream
}

pub(crate) fn message(flags: Flags, command: &Document) -> Vec<u8> {
    let mut bytes = Vec::new();
    let body = RawDocumentBuf::try_from(command).unwrap();
    encode_msg(&mut bytes, 7, 0, flags, &body, &[]);
    bytes
}

pub(crate) fn ask(stream: &mut TcpStream, command: &Document) -> Document {
    stream.write_all(&message(Flags::default(), command)).unwrap();
    reply(stream).expect("a reply")
}

/// The next reply; `None` when the server has closed the connection.
pub(crate) fn reply(stream: &mut TcpStream) -> Option<Document> {
    let mut buffer = FrameBuffer::default();
    loop {
        if let Some(frame) = buffer.frame().unwrap() {
            let (_, Message::Msg(message)) = Message::parse(frame).unwrap() else {
                panic!("no OP_MSG")
            };
            return Some(Document::try_from(message.body).unwrap());
        }
        if buffer.receive(stream).unwrap() == 0 {
            return None;
        }
    }
}
