use std::{
    io::{self, ErrorKind, Write},
    net::{SocketAddr, TcpStream},
};

use bson::{Document, RawDocument, RawDocumentBuf, raw::CStr};

use super::{
    commands::{self, Namespace},
    error::LoadError,
    limits::Limits,
    reply::{self, Fault},
};
use crate::wire::{Flags, FrameBuffer, Sequence, encode_msg};

/// MongoDB's error code for a collection that is not there.
const NAMESPACE_NOT_FOUND: i64 = 26;
/// MongoDB's error code for a command that is not there.
const COMMAND_NOT_FOUND: i64 = 59;

/// A blocking connection beside the load: for preparation, for the load phase and for the server's status.
#[derive(Debug)]
pub(super) struct Control {
    address: SocketAddr,
    limits: Limits,
    stream: TcpStream,
    buffer: FrameBuffer,
    request_id: i32,
    /// Commands that were answered, here and on the connections that did a part of its work.
    pub(super) answered: u64,
}

impl Control {
    /// Connects and shakes hands.
    ///
    /// # Errors
    /// If the server does not take the connection, does not answer, or refuses the handshake.
    pub(super) fn open(address: SocketAddr, limits: Limits) -> Result<Self, LoadError> {
        let connect = || {
            let stream = TcpStream::connect_timeout(&address, limits.reply)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(limits.reply))?;
            stream.set_write_timeout(Some(limits.reply))?;
            Ok(stream)
        };
        let stream = connect().map_err(|source| LoadError::Connect { address, source })?;
        let mut control = Self {
            address,
            limits,
            stream,
            buffer: FrameBuffer::default(),
            request_id: 0,
            answered: 0,
        };
        let reply = control.call(&commands::hello(), &[])?;
        control.demand_ok("hello", &reply)?;
        Ok(control)
    }

    /// The server's status; none if it has no such command.
    ///
    /// # Errors
    /// If the connection breaks or the server refuses.
    pub(super) fn server_status(&mut self) -> Result<Option<Document>, LoadError> {
        let reply = self.call(&commands::server_status(), &[])?;
        if self.number(&reply, "code")? == Some(COMMAND_NOT_FOUND) {
            return Ok(None);
        }
        self.demand_ok("serverStatus", &reply)?;
        Document::try_from(reply)
            .map(Some)
            .map_err(|error| self.malformed(error.to_string()))
    }

    /// How many documents the collection has.
    ///
    /// # Errors
    /// If the connection breaks or the server refuses.
    pub(super) fn count(&mut self, namespace: Namespace<'_>) -> Result<u64, LoadError> {
        let reply = self.call(&commands::count(namespace), &[])?;
        self.demand_ok("count", &reply)?;
        self.number(&reply, "n")?
            .and_then(|count| u64::try_from(count).ok())
            .ok_or_else(|| self.malformed("`count` gave no number".to_owned()))
    }

    /// Drops the collection, if there is one.
    ///
    /// # Errors
    /// If the connection breaks or the server refuses.
    pub(super) fn drop(&mut self, namespace: Namespace<'_>) -> Result<(), LoadError> {
        let reply = self.call(&commands::drop(namespace), &[])?;
        if self.number(&reply, "code")? == Some(NAMESPACE_NOT_FOUND) {
            return Ok(());
        }
        self.demand_ok("drop", &reply)
    }

    /// Makes an index over `field`, unless there is one.
    ///
    /// # Errors
    /// If the connection breaks or the server refuses.
    pub(super) fn create_index(&mut self, namespace: Namespace<'_>, field: &CStr) -> Result<(), LoadError> {
        let reply = self.call(&commands::create_index(namespace, field), &[])?;
        self.demand_ok("createIndexes", &reply)
    }

    /// Inserts all of `documents`.
    ///
    /// # Errors
    /// If the connection breaks, or the server does not take every single document.
    pub(super) fn insert(
        &mut self,
        namespace: Namespace<'_>,
        documents: &[RawDocumentBuf],
    ) -> Result<(), LoadError> {
        let sequence = Sequence {
            name: "documents",
            documents: documents.iter().map(AsRef::as_ref).collect(),
        };
        let reply = self.call(&commands::insert(namespace), &[sequence])?;
        self.demand_ok("insert", &reply)?;
        let refused = |message| LoadError::Refused {
            command: "insert",
            message,
        };
        if let Some(message) = reply::write_error(&reply) {
            return Err(refused(message));
        }
        match self.number(&reply, "n")? {
            Some(inserted) if usize::try_from(inserted) == Ok(documents.len()) => Ok(()),
            inserted => Err(refused(format!(
                "{} of {} documents inserted",
                inserted.unwrap_or(0),
                documents.len()
            ))),
        }
    }

    /// Sends one command and gives the reply, whatever it says.
    fn call(&mut self, body: &RawDocument, sequences: &[Sequence<'_>]) -> Result<RawDocumentBuf, LoadError> {
        self.request_id = self.request_id.checked_add(1).unwrap_or(1);
        let mut message = Vec::new();
        encode_msg(
            &mut message,
            self.request_id,
            0,
            Flags::default(),
            body,
            sequences,
        );
        self.stream
            .write_all(&message)
            .map_err(|error| self.broken(&error))?;
        loop {
            let frame = self
                .buffer
                .frame()
                .map_err(|error| self.malformed(error.to_string()))?;
            if let Some(frame) = frame {
                let length = frame.len();
                let body = reply::body(frame, self.request_id).map(ToOwned::to_owned);
                let body =
                    body.map_err(|(Fault::Failed(reason) | Fault::Protocol(reason))| self.malformed(reason));
                self.buffer.consume(length);
                self.answered += 1;
                return body;
            }
            match self.buffer.receive(&mut self.stream) {
                Ok(0) => return Err(self.broken(&ErrorKind::UnexpectedEof.into())),
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(self.broken(&error)),
                _ => {}
            }
        }
    }

    fn demand_ok(&self, command: &'static str, reply: &RawDocument) -> Result<(), LoadError> {
        match self.number(reply, "ok")? {
            Some(1) => Ok(()),
            _ => Err(LoadError::Refused {
                command,
                message: reply::refusal(reply),
            }),
        }
    }

    fn number(&self, reply: &RawDocument, name: &str) -> Result<Option<i64>, LoadError> {
        reply::number(reply, name).map_err(|error| self.malformed(error.to_string()))
    }

    fn malformed(&self, reason: String) -> LoadError {
        let address = self.address;
        LoadError::Malformed { address, reason }
    }

    fn broken(&self, error: &io::Error) -> LoadError {
        let address = self.address;
        match error.kind() {
            // A blocking socket whose timeout has passed says that it would block.
            ErrorKind::WouldBlock | ErrorKind::TimedOut => LoadError::Silent {
                address,
                waited: self.limits.reply,
            },
            ErrorKind::UnexpectedEof => LoadError::Broken {
                address,
                reason: "the server closed it".to_owned(),
            },
            _ => LoadError::Broken {
                address,
                reason: error.to_string(),
            },
        }
    }
}
