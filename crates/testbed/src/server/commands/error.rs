use bson::{RawDocumentBuf, raw::cstr};

use crate::{
    server::{
        catalog::{DefinitionError, Duplicate, WriteError},
        storage::StorageError,
    },
    wire::WireError,
};

/// Why a command failed, with MongoDB's code and name for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// MongoDB's error code.
    pub code: i32,
    /// What was expected.
    pub message: String,
    /// The value that is taken, where that is why.
    pub duplicate: Option<Box<Duplicate>>,
}

impl CommandError {
    const INTERNAL: i32 = 1;
    const BAD_VALUE: i32 = 2;
    const FAILED_TO_PARSE: i32 = 9;
    const TYPE_MISMATCH: i32 = 14;
    const OVERFLOW: i32 = 15;
    const PROTOCOL: i32 = 17;
    const ILLEGAL_OPERATION: i32 = 20;
    const NAMESPACE_NOT_FOUND: i32 = 26;
    const INDEX_NOT_FOUND: i32 = 27;
    const PATH_NOT_VIABLE: i32 = 28;
    const PATH_COLLISION: i32 = 31250;
    const CONFLICTING_UPDATE_OPERATORS: i32 = 40;
    const CURSOR_NOT_FOUND: i32 = 43;
    const NAMESPACE_EXISTS: i32 = 48;
    const COMMAND_NOT_FOUND: i32 = 59;
    const IMMUTABLE_FIELD: i32 = 66;
    const CANNOT_CREATE_INDEX: i32 = 67;
    const INVALID_OPTIONS: i32 = 72;
    const INVALID_NAMESPACE: i32 = 73;
    const NO_REPLICATION: i32 = 76;
    const INDEX_OPTIONS_CONFLICT: i32 = 85;
    const INDEX_KEY_SPECS_CONFLICT: i32 = 86;
    const EXCEEDED_MEMORY_LIMIT: i32 = 146;
    const PARALLEL_ARRAYS: i32 = 171;
    const SORT_MEMORY: i32 = 292;
    const UNSUPPORTED_QUERY: i32 = 352;
    const TOO_LARGE: i32 = 10334;
    const DUPLICATE_KEY: i32 = 11000;
    const MIXED_PROJECTION_IN: i32 = 31253;
    const MIXED_PROJECTION_OUT: i32 = 31254;
    const UNRECOGNIZED_STAGE: i32 = 40324;
    const MISSING_DATABASE: i32 = 40571;

    fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            duplicate: None,
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

    pub(super) fn unknown_option(option: &str) -> Self {
        Self::new(
            Self::BAD_VALUE,
            format!("this server has no option '{option}': expected a command without it"),
        )
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

    pub(super) fn no_transactions() -> Self {
        Self::new(
            Self::ILLEGAL_OPERATION,
            "Transaction numbers are only allowed on a replica set member or mongos",
        )
    }

    pub(super) fn illegal(message: impl Into<String>) -> Self {
        Self::new(Self::ILLEGAL_OPERATION, message)
    }

    pub(super) fn namespace_not_found() -> Self {
        Self::new(Self::NAMESPACE_NOT_FOUND, "ns not found")
    }

    pub(super) fn namespace_exists(namespace: &str) -> Self {
        Self::new(
            Self::NAMESPACE_EXISTS,
            format!("Collection {namespace} already exists."),
        )
    }

    pub(super) fn index_not_found(index: &str) -> Self {
        Self::new(Self::INDEX_NOT_FOUND, format!("index not found: {index}"))
    }

    pub(super) fn invalid_options(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_OPTIONS, message)
    }

    pub(super) fn no_replication() -> Self {
        Self::new(Self::NO_REPLICATION, "not running with --replSet")
    }

    pub(super) fn cursor_not_found(id: i64) -> Self {
        Self::new(Self::CURSOR_NOT_FOUND, format!("cursor id {id} not found"))
    }

    pub(super) fn too_many_cursors(limit: usize) -> Self {
        Self::new(
            Self::EXCEEDED_MEMORY_LIMIT,
            format!("{limit} cursors are open: expected clients to read them to their ends or close them"),
        )
    }

    pub(super) fn sort_memory(limit: usize) -> Self {
        Self::new(
            Self::SORT_MEMORY,
            format!(
                "the documents are larger than {limit} bytes together: expected a filter that leaves fewer"
            ),
        )
    }

    pub(super) fn too_large(limit: usize) -> Self {
        Self::new(
            Self::TOO_LARGE,
            format!("expected documents of at most {limit} bytes"),
        )
    }

    pub(super) fn too_deep(limit: usize) -> Self {
        Self::new(
            Self::OVERFLOW,
            format!("expected documents that nest at most {limit} levels deep"),
        )
    }

    pub(super) fn mixed_projection(name: &str, shown: bool) -> Self {
        let (code, done, kind) = if shown {
            (Self::MIXED_PROJECTION_IN, "inclusion", "exclusion")
        } else {
            (Self::MIXED_PROJECTION_OUT, "exclusion", "inclusion")
        };
        Self::new(
            code,
            format!("Cannot do {done} on field {name} in {kind} projection"),
        )
    }

    pub(super) fn path_collision(path: &str) -> Self {
        Self::new(Self::PATH_COLLISION, format!("Path collision at {path}"))
    }

    pub(super) fn path_not_viable(message: impl Into<String>) -> Self {
        Self::new(Self::PATH_NOT_VIABLE, message)
    }

    pub(super) fn conflicting_updates(path: &str) -> Self {
        Self::new(
            Self::CONFLICTING_UPDATE_OPERATORS,
            format!("Updating the path '{path}' would create a conflict at '{path}'"),
        )
    }

    pub(super) fn unrecognized_stage(message: impl Into<String>) -> Self {
        Self::new(Self::UNRECOGNIZED_STAGE, message)
    }

    /// The name that goes with the code.
    pub(super) fn code_name(&self) -> &'static str {
        match self.code {
            Self::INTERNAL => "InternalError",
            Self::BAD_VALUE => "BadValue",
            Self::FAILED_TO_PARSE => "FailedToParse",
            Self::TYPE_MISMATCH => "TypeMismatch",
            Self::OVERFLOW => "Overflow",
            Self::PROTOCOL => "ProtocolError",
            Self::ILLEGAL_OPERATION => "IllegalOperation",
            Self::NAMESPACE_NOT_FOUND => "NamespaceNotFound",
            Self::INDEX_NOT_FOUND => "IndexNotFound",
            Self::PATH_NOT_VIABLE => "PathNotViable",
            Self::PATH_COLLISION => "Location31250",
            Self::CONFLICTING_UPDATE_OPERATORS => "ConflictingUpdateOperators",
            Self::CURSOR_NOT_FOUND => "CursorNotFound",
            Self::NAMESPACE_EXISTS => "NamespaceExists",
            Self::COMMAND_NOT_FOUND => "CommandNotFound",
            Self::IMMUTABLE_FIELD => "ImmutableField",
            Self::CANNOT_CREATE_INDEX => "CannotCreateIndex",
            Self::INVALID_OPTIONS => "InvalidOptions",
            Self::INVALID_NAMESPACE => "InvalidNamespace",
            Self::NO_REPLICATION => "NoReplicationEnabled",
            Self::INDEX_OPTIONS_CONFLICT => "IndexOptionsConflict",
            Self::INDEX_KEY_SPECS_CONFLICT => "IndexKeySpecsConflict",
            Self::EXCEEDED_MEMORY_LIMIT => "ExceededMemoryLimit",
            Self::PARALLEL_ARRAYS => "CannotIndexParallelArrays",
            Self::SORT_MEMORY => "QueryExceededMemoryLimitNoDiskUseAllowed",
            Self::UNSUPPORTED_QUERY => "UnsupportedOpQueryCommand",
            Self::TOO_LARGE => "BSONObjectTooLarge",
            Self::DUPLICATE_KEY => "DuplicateKey",
            Self::MIXED_PROJECTION_IN => "Location31253",
            Self::MIXED_PROJECTION_OUT => "Location31254",
            Self::UNRECOGNIZED_STAGE => "Location40324",
            Self::MISSING_DATABASE => "Location40571",
            _ => "Location",
        }
    }

    pub(super) fn to_reply(&self) -> RawDocumentBuf {
        let mut reply = RawDocumentBuf::new();
        reply.append(cstr!("ok"), 0.0);
        self.describe(&mut reply);
        reply
    }

    /// What a reply says of the error, at its top or for one statement.
    pub(super) fn describe(&self, reply: &mut RawDocumentBuf) {
        reply.append(cstr!("errmsg"), self.message.as_str());
        reply.append(cstr!("code"), self.code);
        reply.append(cstr!("codeName"), self.code_name());
        if let Some(duplicate) = &self.duplicate {
            reply.append(cstr!("keyPattern"), &duplicate.pattern);
            reply.append(cstr!("keyValue"), &duplicate.value);
        }
    }
}

impl From<StorageError> for CommandError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Refused { code, message } => Self::new(code, message),
            other => Self::new(Self::INTERNAL, other.to_string()),
        }
    }
}

impl From<Duplicate> for CommandError {
    fn from(duplicate: Duplicate) -> Self {
        Self {
            code: Self::DUPLICATE_KEY,
            message: duplicate.to_string(),
            duplicate: Some(Box::new(duplicate)),
        }
    }
}

impl From<WriteError> for CommandError {
    fn from(error: WriteError) -> Self {
        let message = error.to_string();
        match error {
            WriteError::Storage(error) => error.into(),
            WriteError::Duplicate(duplicate) => (*duplicate).into(),
            WriteError::ParallelArrays(_) => Self::new(Self::PARALLEL_ARRAYS, message),
            WriteError::Definition(error) => error.into(),
        }
    }
}

impl From<DefinitionError> for CommandError {
    fn from(error: DefinitionError) -> Self {
        let code = match error {
            DefinitionError::Malformed(_) => Self::CANNOT_CREATE_INDEX,
            DefinitionError::OtherName(_) => Self::INDEX_OPTIONS_CONFLICT,
            DefinitionError::OtherKey(_) => Self::INDEX_KEY_SPECS_CONFLICT,
        };
        Self::new(code, error.to_string())
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
