//! The commands that the server answers: those that drivers need to connect, and reading and writing by `_id`.

mod aggregate;
mod context;
mod delete;
mod error;
mod filter;
mod find;
mod handshake;
mod insert;
mod server_status;
mod set;
mod update;
mod write;

use bson::{RawDocument, RawDocumentBuf, raw::cstr};
use cede::Class;

use self::context::Context;
use super::Services;
use crate::wire::{self, Flags, Header, Message, OpMsg, WireError};
pub use error::CommandError;

/// Whether the peer waits for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It does.
    Wanted,
    /// It said `moreToCome`.
    Unwanted,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handled {
    /// Whether there is a reply to send.
    pub reply: Reply,
    /// Whether it was an operation on documents.
    pub operation: bool,
}

/// Carries out `message`, which asks for the command `named`, and writes the reply into `out`.
pub fn handle(
    services: &Services,
    header: Header,
    message: &Message<'_>,
    named: &Named<'_>,
    out: &mut Vec<u8>,
) -> Handled {
    match message {
        Message::Query(_) => {
            wire::encode_reply(out, 0, header.request_id, &legacy(named));
            Handled {
                reply: Reply::Wanted,
                operation: false,
            }
        }
        Message::Msg(message) => {
            let result = run(services, message, named);
            let handled = Handled {
                reply: if message.flags.contains(Flags::MORE_TO_COME) {
                    Reply::Unwanted
                } else {
                    Reply::Wanted
                },
                operation: named.command.is_some_and(Command::is_operation),
            };
            if handled.reply == Reply::Wanted {
                let document = result.unwrap_or_else(|error| error.to_reply());
                // A request with a checksum is answered with one.
                let flags = Flags(message.flags.0 & Flags::CHECKSUM_PRESENT.0);
                wire::encode_msg(out, 0, header.request_id, flags, &document, &[]);
            }
            handled
        }
    }
}

/// Which command a message asks for: found once, before it is carried out.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    name: Option<&'a str>,
    command: Option<Command>,
}

impl<'a> Named<'a> {
    /// Looks for the command of `message`.
    #[must_use]
    pub fn of(message: &Message<'a>) -> Self {
        let name = first_key(match message {
            Message::Msg(message) => message.body,
            Message::Query(query) => query.query,
        });
        Self {
            name,
            command: name.and_then(Command::find),
        }
    }

    /// What the primitive is told: requests of one command take alike.
    #[must_use]
    pub fn class(&self) -> Class {
        self.command
            .map_or(Class::Unknown, |command| Class::Kind(command as u8))
    }
}

/// Writes the reply to bytes that could not be understood into `out`.
pub fn refuse(request_id: i32, error: &WireError, out: &mut Vec<u8>) {
    let document = CommandError::protocol(error).to_reply();
    wire::encode_msg(out, 0, request_id, Flags::default(), &document, &[]);
}

fn legacy(named: &Named<'_>) -> RawDocumentBuf {
    match named.command {
        Some(Command::Hello) => handshake::hello(named.name),
        _ => CommandError::unsupported_query().to_reply(),
    }
}

fn run(services: &Services, message: &OpMsg<'_>, named: &Named<'_>) -> Result<RawDocumentBuf, CommandError> {
    let name = named.name.ok_or_else(CommandError::empty)?;
    let command = named.command.ok_or_else(|| CommandError::not_found(name))?;
    command.run(&Context::new(services, message, name)?)
}

fn first_key(document: &RawDocument) -> Option<&str> {
    document.iter().next()?.ok().map(|(key, _)| key.as_str())
}

/// A reply that says no more than that all went well.
fn ok() -> RawDocumentBuf {
    finish(RawDocumentBuf::new())
}

/// Ends a reply.
fn finish(mut reply: RawDocumentBuf) -> RawDocumentBuf {
    reply.append(cstr!("ok"), 1.0);
    reply
}

/// Every command, by all of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Hello,
    Ping,
    BuildInfo,
    ServerStatus,
    EndSessions,
    Insert,
    Find,
    Update,
    Delete,
    Count,
    Aggregate,
    Drop,
}

impl Command {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("find", Self::Find),
        ("update", Self::Update),
        ("insert", Self::Insert),
        ("delete", Self::Delete),
        ("count", Self::Count),
        ("aggregate", Self::Aggregate),
        ("drop", Self::Drop),
        ("hello", Self::Hello),
        ("isMaster", Self::Hello),
        ("ismaster", Self::Hello),
        ("ping", Self::Ping),
        ("buildInfo", Self::BuildInfo),
        ("buildinfo", Self::BuildInfo),
        ("serverStatus", Self::ServerStatus),
        ("endSessions", Self::EndSessions),
    ];

    fn find(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, command)| *command)
    }

    fn is_operation(self) -> bool {
        matches!(self, Self::Insert | Self::Find | Self::Update | Self::Delete)
    }

    fn run(self, context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
        match self {
            Self::Hello => Ok(handshake::hello(Some(context.name))),
            Self::Ping | Self::EndSessions => Ok(ok()),
            Self::BuildInfo => Ok(handshake::build_info()),
            Self::ServerStatus => server_status::run(context),
            Self::Insert => insert::run(context),
            Self::Find => find::run(context),
            Self::Update => update::run(context),
            Self::Delete => delete::run(context),
            Self::Count => aggregate::count(context),
            Self::Aggregate => aggregate::run(context),
            Self::Drop => delete::drop_collection(context),
        }
    }
}
