use thiserror::Error;

use super::header::MAX_MESSAGE_BYTES;

/// Why bytes are not a message that can be answered. After any of these the connection has to be closed: the
/// position of the next message is unknown or its sender cannot be trusted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// The length in the header is shorter than a header or longer than a message may be.
    #[error("message length {0}: expected 16 to {MAX_MESSAGE_BYTES} bytes")]
    Length(i32),
    /// The message ends inside a field.
    #[error("message ends inside its {0}")]
    Truncated(&'static str),
    /// Bytes are left over after the last field.
    #[error("{0} bytes left over after the last section")]
    TrailingBytes(usize),
    /// The operation code is none of those that are understood.
    #[error("operation code {0}: expected 2013 (OP_MSG), or 2004 (OP_QUERY) for isMaster or hello")]
    OpCode(i32),
    /// A flag bit that changes the meaning of a message, and is not understood, is set.
    #[error("unknown required flag bits {0:#x}")]
    Flags(u32),
    /// A section is of an unknown kind.
    #[error("section kind {0}: expected 0 or 1")]
    SectionKind(u8),
    /// There is no section of kind 0, or more than one.
    #[error("{0} sections of kind 0: expected exactly one")]
    BodyCount(usize),
    /// There are more sections of kind 1 than any command has.
    #[error("more than {0} document sequences")]
    SequenceCount(usize),
    /// Two sections of kind 1 have one name.
    #[error("two document sequences named `{0}`")]
    DuplicateSequence(String),
    /// The checksum does not fit the message.
    #[error("checksum {found:#010x}: expected {expected:#010x}")]
    Checksum {
        /// What the message says.
        found: u32,
        /// What its bytes give.
        expected: u32,
    },
    /// A document is not valid BSON.
    #[error("invalid BSON: {0}")]
    Bson(String),
    /// A name is not valid UTF-8.
    #[error("a name is not UTF-8")]
    Name,
}
