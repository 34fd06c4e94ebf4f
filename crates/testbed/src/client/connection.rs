use std::{
    io::{ErrorKind, Write},
    mem,
};

use mio::net::TcpStream;
use scenario::Operation;

use super::{
    clock::now_ns,
    reply::{self, Expected, Fault},
    traffic::Traffic,
};
use crate::wire::FrameBuffer;

/// One connection with at most one request under way.
#[derive(Debug)]
pub(super) struct Connection {
    /// The socket, non-blocking.
    pub(super) stream: TcpStream,
    /// What this connection will ask for.
    pub(super) traffic: Traffic,
    /// The request under way.
    pub(super) waiting: Option<Waiting>,
    request_id: i32,
    /// The rest of a request that the socket did not take whole.
    unsent: Vec<u8>,
    /// A reply of which only a part has come.
    partial: Option<FrameBuffer>,
}

/// A request under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// What it is a part of; none for the handshake.
    pub(super) operation: Option<Operation>,
    /// Whether the operation is over with the reply.
    pub(super) is_last: bool,
    /// What the reply has to show.
    pub(super) expected: Expected,
    /// Where its latency counts from.
    pub(super) intended_ns: u64,
    /// When it was sent.
    pub(super) sent_ns: u64,
}

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// No whole reply yet.
    Nothing,
    /// The reply to the request that was under way.
    Reply {
        /// That request.
        to: Waiting,
        /// When the reply was there.
        at_ns: u64,
        /// What the server did not do, in its words.
        failure: Option<String>,
    },
    /// The connection is of no use any more, and why.
    Lost(String),
}

impl Connection {
    pub(super) fn new(stream: TcpStream, traffic: Traffic) -> Self {
        Self {
            stream,
            traffic,
            waiting: None,
            request_id: 0,
            unsent: Vec::new(),
            partial: None,
        }
    }

    /// Whether nothing has been sent yet, the handshake included.
    pub(super) fn is_fresh(&self) -> bool {
        self.request_id == 0
    }

    /// The number for the next request, from 1 up.
    pub(super) fn next_request_id(&mut self) -> i32 {
        self.request_id = self.request_id.checked_add(1).unwrap_or(1);
        self.request_id
    }

    /// Sends a request that has the last number of [`Connection::next_request_id`].
    ///
    /// # Errors
    /// Why the connection is of no use any more.
    pub(super) fn send(&mut self, message: &[u8], waiting: Waiting) -> Result<(), String> {
        self.waiting = Some(waiting);
        let sent = write(&mut self.stream, message)?;
        self.unsent
            .extend_from_slice(message.get(sent..).unwrap_or_default());
        Ok(())
    }

    /// Sends what the socket did not take earlier.
    ///
    /// # Errors
    /// Why the connection is of no use any more.
    pub(super) fn flush(&mut self) -> Result<(), String> {
        if !self.unsent.is_empty() {
            let sent = write(&mut self.stream, &self.unsent)?;
            self.unsent.drain(..sent);
        }
        Ok(())
    }

    /// Receives until the reply is whole or nothing more is there. `shared` is an empty buffer that connections take
    /// turns to use, so that it stays in the processor's cache; a connection keeps it only while it holds half a
    /// reply.
    pub(super) fn receive(&mut self, shared: &mut FrameBuffer) -> Received {
        let mut partial = self.partial.take();
        let buffer = partial.as_mut().unwrap_or(shared);
        let received = self.receive_into(buffer);
        if !buffer.is_empty() {
            self.partial = Some(mem::take(buffer));
        }
        received
    }

    fn receive_into(&mut self, buffer: &mut FrameBuffer) -> Received {
        loop {
            match buffer.receive(&mut self.stream) {
                Ok(0) => return Received::Lost("the server closed a connection".to_owned()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Received::Nothing,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Received::Lost(format!("a connection broke: {error}")),
            }
            let frame = match buffer.frame() {
                Ok(None) => continue,
                Ok(Some(frame)) => frame,
                Err(error) => return Received::Lost(format!("malformed reply: {error}")),
            };
            let at_ns = now_ns();
            let Some(to) = self.waiting else {
                return Received::Lost("the server sent a reply without a request".to_owned());
            };
            let failure = match reply::check(frame, self.request_id, to.expected) {
                Ok(()) => None,
                Err(Fault::Failed(message)) => Some(message),
                Err(Fault::Protocol(message)) => return Received::Lost(message),
            };
            let length = frame.len();
            buffer.consume(length);
            if !buffer.is_empty() {
                return Received::Lost("the server sent more than one reply to a request".to_owned());
            }
            self.waiting = None;
            return Received::Reply { to, at_ns, failure };
        }
    }
}

/// Bytes that the socket took, 0 if it is full.
fn write(stream: &mut TcpStream, bytes: &[u8]) -> Result<usize, String> {
    loop {
        match stream.write(bytes) {
            Ok(sent) => return Ok(sent),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(0),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("a connection broke: {error}")),
        }
    }
}
