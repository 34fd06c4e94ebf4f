use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
    time::Duration,
};

use mio::{Events, Interest, Poll, Token, event::Event, net::TcpStream};

use super::{
    clock::{between, now_ns},
    commands,
    connection::{Connection, Received, Waiting},
    error::LoadError,
    limits::Limits,
    reply::Expected,
    traffic::Traffic,
};
use crate::wire::FrameBuffer;

/// Connections that one thread opens at a time. Servers listen with a backlog of 128 and more; a connection beyond
/// it would be tried again after a full second.
const AT_A_TIME: usize = 32;
/// How often to look whether the run has been given up.
const TICK: Duration = Duration::from_millis(20);

/// Opens one connection for each of `traffic` and shakes hands on it. They are registered with `poll` for both
/// directions, under their position as token.
///
/// Gives none if `given_up` said so on the way.
///
/// # Errors
/// The first thing that went wrong on any connection.
pub(super) fn open(
    poll: &mut Poll,
    address: SocketAddr,
    traffic: Vec<Traffic>,
    limits: Limits,
    given_up: impl Fn() -> bool,
) -> Result<Option<Vec<Connection>>, LoadError> {
    let refused = |source| LoadError::Connect { address, source };
    let total = traffic.len();
    let mut traffic = traffic.into_iter();
    let mut events = Events::with_capacity(2 * AT_A_TIME);
    let mut buffer = FrameBuffer::default();
    let mut connections = Vec::with_capacity(total);
    let mut opened = 0;
    let mut last_progress_ns = now_ns();

    while opened < total {
        while connections.len() - opened < AT_A_TIME
            && let Some(traffic) = traffic.next()
        {
            let mut stream = TcpStream::connect(address).map_err(refused)?;
            let token = Token(connections.len());
            poll.registry()
                .register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)
                .map_err(LoadError::system("watch a connection"))?;
            connections.push(Connection::new(stream, traffic));
        }
        match poll.poll(&mut events, Some(TICK)) {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                return Err(LoadError::system("wait for connections")(error));
            }
            _ => {}
        }
        for event in &events {
            if let Some(connection) = connections.get_mut(event.token().0)
                && advance(connection, event, address, &mut buffer)?
            {
                opened += 1;
                last_progress_ns = now_ns();
            }
        }
        if given_up() {
            return Ok(None);
        }
        if between(last_progress_ns, now_ns()) > limits.reply {
            let waited = limits.reply;
            return Err(LoadError::Silent { address, waited });
        }
    }
    Ok(Some(connections))
}

/// Takes one connection as far as it gets; tells whether that completes it.
fn advance(
    connection: &mut Connection,
    event: &Event,
    address: SocketAddr,
    buffer: &mut FrameBuffer,
) -> Result<bool, LoadError> {
    let broken = |reason| LoadError::Broken { address, reason };
    if connection.is_fresh() {
        if !is_connected(&connection.stream).map_err(|source| LoadError::Connect { address, source })? {
            return Ok(false);
        }
        connection
            .stream
            .set_nodelay(true)
            .map_err(LoadError::system("set TCP_NODELAY"))?;
        let hello = commands::message(connection.next_request_id(), &commands::hello());
        let now_ns = now_ns();
        let waiting = Waiting {
            operation: None,
            is_last: true,
            expected: Expected::Ok,
            intended_ns: now_ns,
            sent_ns: now_ns,
        };
        return connection.send(&hello, waiting).map(|()| false).map_err(broken);
    }
    if event.is_writable() {
        connection.flush().map_err(broken)?;
    }
    match connection.receive(buffer) {
        Received::Nothing => Ok(false),
        Received::Reply { failure: None, .. } => Ok(true),
        Received::Reply {
            failure: Some(message),
            ..
        } => Err(LoadError::Refused {
            command: "hello",
            message,
        }),
        Received::Lost(reason) => Err(broken(reason)),
    }
}

fn is_connected(stream: &TcpStream) -> io::Result<bool> {
    if let Some(error) = stream.take_error()? {
        return Err(error);
    }
    match stream.peer_addr() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotConnected => Ok(false),
        Err(error) => Err(error),
    }
}
