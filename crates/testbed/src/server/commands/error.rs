use bson::{RawDocumentBuf, raw::cstr};

use crate::{server::storage::StorageError, wire::WireError};

/// Why a command failed, with MongoDB's code and name for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// MongoDB's error code.
    pub code: i32,
    /// What was expected.
    pub message: String,
}

impl CommandError {
    pub(super) const DUPLICATE_KEY: i32 = 11000;
    const INTERNAL: i32 = 1;
    const BAD_VALUE: i32 = 2;
    const FAILED_TO_PARSE: i32 = 9;
    const TYPE_MISMATCH: i32 = 14;
    const PROTOCOL: i32 = 17;
    const COMMAND_NOT_FOUND: i32 = 59;
    const IMMUTABLE_FIELD: i32 = 66;
    const INVALID_NAMESPACE: i32 = 73;
    const UNSUPPORTED_QUERY: i32 = 352;
    const MISSING_DATABASE: i32 = 40571;

    fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub(super) fn protocol(error: &WireError) -> Self {
        Self::new(Self::PROTOCOL, error.to_string())
    }

    pub(super) fn unsupported_query() -> Self {
        Self::new(
            Self::UNSUPPORTED_QUERY,
            "OP_QUERY is answered for isMaster and hello only: expected OP_MSG",
        )
    }

    pub(super) fn empty() -> Self {
        Self::new(
            Self::FAILED_TO_PARSE,
            "the command is empty: expected its name as the first field",
        )
    }

    pub(super) fn not_found(name: &str) -> Self {
        Self::new(Self::COMMAND_NOT_FOUND, format!("no such command: '{name}'"))
    }

    pub(super) fn missing_database() -> Self {
        Self::new(
            Self::MISSING_DATABASE,
            "expected the database as a string in the field $db",
        )
    }

    pub(super) fn namespace(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_NAMESPACE, message)
    }

    pub(super) fn parse(message: impl Into<String>) -> Self {
        Self::new(Self::FAILED_TO_PARSE, message)
    }

    pub(super) fn bad_value(message: impl Into<String>) -> Self {
        Self::new(Self::BAD_VALUE, message)
    }

    pub(super) fn mismatch(field: &str, expected: &str) -> Self {
        Self::new(
            Self::TYPE_MISMATCH,
            format!("field '{field}': expected {expected}"),
        )
    }

    pub(super) fn immutable_id() -> Self {
        Self::new(Self::IMMUTABLE_FIELD, "an update cannot change the field '_id'")
    }

    pub(super) fn code_name(&self) -> &'static str {
        match self.code {
            Self::DUPLICATE_KEY => "DuplicateKey",
            Self::INTERNAL => "InternalError",
            Self::BAD_VALUE => "BadValue",
            Self::FAILED_TO_PARSE => "FailedToParse",
            Self::TYPE_MISMATCH => "TypeMismatch",
            Self::PROTOCOL => "ProtocolError",
            Self::COMMAND_NOT_FOUND => "CommandNotFound",
            Self::IMMUTABLE_FIELD => "ImmutableField",
            Self::INVALID_NAMESPACE => "InvalidNamespace",
            Self::UNSUPPORTED_QUERY => "UnsupportedOpQueryCommand",
            _ => "Location",
        }
    }

    pub(super) fn to_reply(&self) -> RawDocumentBuf {
        let mut reply = RawDocumentBuf::new();
        reply.append(cstr!("ok"), 0.0);
        reply.append(cstr!("errmsg"), self.message.as_str());
        reply.append(cstr!("code"), self.code);
        reply.append(cstr!("codeName"), self.code_name());
        reply
    }
}

impl From<StorageError> for CommandError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Refused { code, message } => Self { code, message },
            other => Self::new(Self::INTERNAL, other.to_string()),
        }
    }
}

impl From<CommandError> for StorageError {
    fn from(error: CommandError) -> Self {
        Self::Refused {
            code: error.code,
            message: error.message,
        }
    }
}

impl From<bson::error::Error> for CommandError {
    fn from(error: bson::error::Error) -> Self {
        Self::new(Self::FAILED_TO_PARSE, error.to_string())
    }
}
