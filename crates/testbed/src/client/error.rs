use std::{io, net::SocketAddr, time::Duration};

use thiserror::Error;

use super::outcome::LoadOutcome;
use crate::descriptors::DescriptorError;

/// Why a load could not be run to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The connection string is not one that the client understands.
    #[error("`{uri}`: {reason}; expected mongodb://HOST[:PORT][/DATABASE]")]
    Uri {
        /// The connection string as given, without a password.
        uri: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The plan asks for something that cannot be done.
    #[error("the load plan cannot be run: {0}")]
    Plan(&'static str),
    /// The process may not open as many files as there are connections.
    #[error(transparent)]
    Descriptors(#[from] DescriptorError),
    /// A connection could not be opened.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// The server.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// A connection broke outside the measured load: while it was opened, during the load phase, or at the control
    /// connection.
    #[error("the connection to {address} broke: {reason}")]
    Broken {
        /// The server.
        address: SocketAddr,
        /// How.
        reason: String,
    },
    /// The server did not answer in time.
    #[error("no reply from {address} for {} s", waited.as_secs_f64())]
    Silent {
        /// The server.
        address: SocketAddr,
        /// How long the client waited.
        waited: Duration,
    },
    /// The server sent something that is not the protocol, or not the reply to what was asked.
    #[error("{address} does not keep to the protocol: {reason}")]
    Malformed {
        /// The server.
        address: SocketAddr,
        /// What is wrong with it.
        reason: String,
    },
    /// The server answered a command with an error.
    #[error("the server refused `{command}`: {message}")]
    Refused {
        /// The command's name.
        command: &'static str,
        /// The server's own words.
        message: String,
    },
    /// The load phase failed.
    #[error("{inserted} of {total} documents inserted, then: {source}")]
    Load {
        /// Documents that the server had acknowledged.
        inserted: u64,
        /// Documents to insert.
        total: u64,
        /// What went wrong.
        source: Box<LoadError>,
    },
    /// Every connection broke before the end of the run.
    #[error("all {connections} connections to {address} were lost after {} measured operations: {reason}", partial.operation_count())]
    AllConnectionsLost {
        /// The server.
        address: SocketAddr,
        /// How many there were.
        connections: u32,
        /// How the last of them broke.
        reason: String,
        /// What was measured until then; its `complete` is false.
        partial: Box<LoadOutcome>,
    },
    /// The operating system refused something that the client cannot do without.
    #[error("cannot {what}: {source}")]
    System {
        /// What was asked for.
        what: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

impl LoadError {
    /// What was measured before the run broke off, if it came that far.
    #[must_use]
    pub fn partial(&self) -> Option<&LoadOutcome> {
        match self {
            Self::AllConnectionsLost { partial, .. } => Some(partial),
            _ => None,
        }
    }

    pub(super) fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { what, source }
    }
}
