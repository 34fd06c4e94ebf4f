use std::io::{ErrorKind, Read, Write};

use super::executor::{Worker, YieldPoint};
use crate::{
    server::{
        Services,
        commands::{self, Named, Reply},
        threads::Membership,
    },
    wire::{FrameBuffer, Header, Message, WireError},
};

/// Where a connection is in its loop.
///
/// ```text
///   ┌─► BeforeReceive ─► Receive ─► Dispatch ─► Send ─► AfterSend ─┐
///   │    (yield point)      │          │         │    (yield point) │
///   │                       │          └─────────┼────────►────────┤  moreToCome: nothing to send
///   └───────────────────────┼──────────┬─────────┼─────────────────┘
///                           └──────────┴─────────┴─► Closed
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A yield point: the next request is not read yet.
    BeforeReceive,
    /// Blocks until a whole request has arrived.
    Receive,
    /// Carries out the request.
    Dispatch,
    /// Sends the reply.
    Send,
    /// A yield point: the reply is out, or there was none to send.
    AfterSend,
    /// The connection is done.
    Closed,
}

/// The loop of one connection, on the connection's own thread.
#[derive(Debug)]
pub struct SessionWorkflow<'a, S> {
    stream: S,
    services: &'a Services,
    worker: Worker<'a>,
    received: FrameBuffer,
    reply: Vec<u8>,
    member: Option<Membership>,
}

impl<'a, S: Read + Write> SessionWorkflow<'a, S> {
    /// The loop for `stream`, on the calling thread.
    #[must_use]
    pub fn new(stream: S, services: &'a Services) -> Self {
        let worker = services.executor.worker();
        services.note_slice(worker.slice());
        Self {
            stream,
            services,
            worker,
            received: FrameBuffer::default(),
            reply: Vec::new(),
            member: None,
        }
    }

    /// Serves requests until the peer is gone or has sent what cannot be understood; gives the stream back.
    pub fn run(mut self) -> S {
        let mut state = State::BeforeReceive;
        while state != State::Closed {
            state = self.step(state);
        }
        self.stream
    }

    /// Does what is due in `state` and gives the next one.
    pub fn step(&mut self, state: State) -> State {
        match state {
            State::BeforeReceive => {
                self.worker.yield_if_appropriate(YieldPoint::BeforeReceive);
                State::Receive
            }
            State::Receive => self.receive(),
            State::Dispatch => self.dispatch(),
            State::Send => self.send(),
            State::AfterSend => {
                self.worker.yield_if_appropriate(YieldPoint::AfterSend);
                State::BeforeReceive
            }
            State::Closed => State::Closed,
        }
    }

    fn receive(&mut self) -> State {
        loop {
            match self.received.frame() {
                Ok(Some(frame)) => {
                    self.worker.request_started(frame.len());
                    return State::Dispatch;
                }
                Ok(None) => {}
                Err(error) => return self.refuse(0, &error),
            }
            match self.received.receive(&mut self.stream) {
                // The peer has closed, inside a request or between two: either way there is nobody to answer.
                Ok(0) => return State::Closed,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return State::Closed,
            }
        }
    }

    fn dispatch(&mut self) -> State {
        let Ok(Some(frame)) = self.received.frame() else {
            return State::Receive;
        };
        let length = frame.len();
        let parsed = Message::parse(frame);
        let (header, message) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => {
                let request_id = Header::parse(frame).map_or(0, |header| header.request_id);
                return self.refuse(request_id, &error);
            }
        };
        let named = Named::of(&message);
        self.worker.dispatch(named.class());
        self.reply.clear();
        let handled = commands::handle(self.services, header, &message, &named, &mut self.reply);
        self.received.consume(length);
        if handled.operation && self.member.is_none() {
            self.member = Some(self.services.workers.enter());
        }
        match handled.reply {
            Reply::Wanted => State::Send,
            Reply::Unwanted => {
                self.worker.request_finished(None);
                State::AfterSend
            }
        }
    }

    fn send(&mut self) -> State {
        let sent = self.stream.write_all(&self.reply);
        self.worker.request_finished(Some(self.reply.len()));
        match sent {
            Ok(()) => State::AfterSend,
            Err(_) => State::Closed,
        }
    }

    /// Tells the peer what is wrong with its bytes, as far as it still listens, and ends the connection.
    fn refuse(&mut self, request_id: i32, error: &WireError) -> State {
        self.reply.clear();
        commands::refuse(request_id, error, &mut self.reply);
        let _gone = self.stream.write_all(&self.reply);
        self.worker.request_finished(Some(self.reply.len()));
        State::Closed
    }
}
