//! The commands that the server answers: those that drivers and shells send, as far as a standalone server has them.

mod aggregate;
mod change;
mod collections;
mod context;
mod count;
mod cursors;
mod delete;
mod diagnostics;
mod error;
mod find;
mod find_and_modify;
mod get_more;
mod handshake;
mod indexes;
mod insert;
mod latencies;
mod modify;
mod parameters;
mod query;
mod server_status;
mod update;
mod write;

use std::time::Instant;

use bson::{RawBson, RawDocument, RawDocumentBuf, raw::cstr};
use cede::Class;

use self::{context::Context, latencies::Kind};
use super::{Services, admission::Intent};
use crate::wire::{self, Flags, Header, Message, OpMsg, WireError};
pub use cursors::Cursors;
pub use error::CommandError;
pub use latencies::OperationLatencies;

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
    body: &'a RawDocument,
}

impl<'a> Named<'a> {
    /// Looks for the command of `message`.
    #[must_use]
    pub fn of(message: &Message<'a>) -> Self {
        let body = match message {
            Message::Msg(message) => message.body,
            Message::Query(query) => query.query,
        };
        let name = first_key(body);
        Self {
            name,
            command: name.and_then(Command::find),
            body,
        }
    }

    /// What the primitive is told: requests of one command take alike, but for finds that go by the key.
    #[must_use]
    pub fn class(&self) -> Class {
        const BY_KEY: u8 = 0x80;

        match self.command {
            None => Class::Unknown,
            Some(Command::Find) if self.goes_by_key() => Class::Kind(Command::Find as u8 | BY_KEY),
            Some(command) => Class::Kind(command as u8),
        }
    }

    fn goes_by_key(&self) -> bool {
        let filter = self.body.get_document("filter");
        filter.is_ok_and(|filter| first_key(filter) == Some("_id"))
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
    let context = Context::new(services, message, name)?;
    let began = Instant::now();
    // Until the command is done: the reply is sent without it.
    let ticket = command
        .intent()
        .and_then(|intent| services.admission.admit(intent));
    let result = command.run(&context);
    drop(ticket);
    services.latencies.count(command.latency_kind(), began.elapsed());
    result
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

/// As MongoDB does: a 32-bit number where it fits.
fn whole(n: u64) -> RawBson {
    i32::try_from(n).map_or_else(
        |_large| RawBson::Int64(i64::try_from(n).unwrap_or(i64::MAX)),
        RawBson::Int32,
    )
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
    FindAndModify,
    Distinct,
    GetMore,
    KillCursors,
    Create,
    DropDatabase,
    ListCollections,
    ListDatabases,
    CreateIndexes,
    ListIndexes,
    DropIndexes,
    CollStats,
    DbStats,
    GetParameter,
    SetParameter,
    ConnectionStatus,
    CurrentOp,
    GetCmdLineOpts,
    GetLog,
    HostInfo,
    ReplSetGetStatus,
    StartSession,
    WhatsMyUri,
}

impl Command {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("find", Self::Find),
        ("update", Self::Update),
        ("insert", Self::Insert),
        ("delete", Self::Delete),
        ("findAndModify", Self::FindAndModify),
        ("findandmodify", Self::FindAndModify),
        ("getMore", Self::GetMore),
        ("aggregate", Self::Aggregate),
        ("count", Self::Count),
        ("distinct", Self::Distinct),
        ("hello", Self::Hello),
        ("isMaster", Self::Hello),
        ("ismaster", Self::Hello),
        ("ping", Self::Ping),
        ("killCursors", Self::KillCursors),
        ("endSessions", Self::EndSessions),
        ("refreshSessions", Self::EndSessions),
        ("killSessions", Self::EndSessions),
        ("startSession", Self::StartSession),
        ("serverStatus", Self::ServerStatus),
        ("buildInfo", Self::BuildInfo),
        ("buildinfo", Self::BuildInfo),
        ("create", Self::Create),
        ("drop", Self::Drop),
        ("dropDatabase", Self::DropDatabase),
        ("listCollections", Self::ListCollections),
        ("listDatabases", Self::ListDatabases),
        ("createIndexes", Self::CreateIndexes),
        ("listIndexes", Self::ListIndexes),
        ("dropIndexes", Self::DropIndexes),
        ("deleteIndexes", Self::DropIndexes),
        ("collStats", Self::CollStats),
        ("collstats", Self::CollStats),
        ("dbStats", Self::DbStats),
        ("dbstats", Self::DbStats),
        ("getParameter", Self::GetParameter),
        ("setParameter", Self::SetParameter),
        ("connectionStatus", Self::ConnectionStatus),
        ("currentOp", Self::CurrentOp),
        ("getCmdLineOpts", Self::GetCmdLineOpts),
        ("getLog", Self::GetLog),
        ("hostInfo", Self::HostInfo),
        ("replSetGetStatus", Self::ReplSetGetStatus),
        ("whatsmyuri", Self::WhatsMyUri),
    ];

    fn find(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, command)| *command)
    }

    /// Whether it is an operation on documents, as the load client sends them.
    fn is_operation(self) -> bool {
        matches!(
            self,
            Self::Insert | Self::Find | Self::Update | Self::Delete | Self::FindAndModify
        )
    }

    /// The kind under which its latency is counted.
    fn latency_kind(self) -> Kind {
        match self {
            Self::Find => Kind::Query,
            Self::GetMore => Kind::GetMore,
            Self::Count | Self::Distinct | Self::Aggregate => Kind::OtherRead,
            Self::Insert => Kind::Insert,
            Self::Update | Self::FindAndModify => Kind::Update,
            Self::Delete => Kind::Delete,
            _ => Kind::Command,
        }
    }

    /// What the command does in the storage engine, for which it has to be admitted.
    fn intent(self) -> Option<Intent> {
        match self {
            Self::Find
            | Self::GetMore
            | Self::Count
            | Self::Distinct
            | Self::Aggregate
            | Self::ListCollections
            | Self::ListDatabases
            | Self::ListIndexes
            | Self::CollStats
            | Self::DbStats => Some(Intent::Read),
            Self::Insert
            | Self::Update
            | Self::Delete
            | Self::FindAndModify
            | Self::Create
            | Self::Drop
            | Self::DropDatabase
            | Self::CreateIndexes
            | Self::DropIndexes => Some(Intent::Write),
            _ => None,
        }
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
            Self::FindAndModify => find_and_modify::run(context),
            Self::Count => count::run(context),
            Self::Distinct => count::distinct(context),
            Self::Aggregate => aggregate::run(context),
            Self::GetMore => get_more::run(context),
            Self::KillCursors => get_more::kill(context),
            Self::Create => collections::create(context),
            Self::Drop => collections::drop(context),
            Self::DropDatabase => collections::drop_database(context),
            Self::ListCollections => collections::list(context),
            Self::ListDatabases => collections::list_databases(context),
            Self::CollStats => collections::collection_stats(context),
            Self::DbStats => collections::database_stats(context),
            Self::CreateIndexes => indexes::create(context),
            Self::ListIndexes => indexes::list(context),
            Self::DropIndexes => indexes::drop(context),
            Self::GetParameter => parameters::get(context),
            Self::SetParameter => parameters::set(context),
            Self::ConnectionStatus => Ok(diagnostics::connection_status()),
            Self::CurrentOp => Ok(diagnostics::current_op()),
            Self::GetCmdLineOpts => Ok(diagnostics::command_line()),
            Self::GetLog => diagnostics::log(context),
            Self::HostInfo => Ok(diagnostics::host_info()),
            Self::ReplSetGetStatus => Err(CommandError::no_replication()),
            Self::StartSession => Ok(diagnostics::start_session()),
            Self::WhatsMyUri => Ok(diagnostics::whats_my_uri()),
        }
    }
}
