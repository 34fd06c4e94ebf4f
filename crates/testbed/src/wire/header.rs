use super::{error::WireError, reader::Reader};

/// Length of the header that opens every message.
pub const HEADER_BYTES: usize = 16;
/// Longest message that is accepted, header included: MongoDB's `maxMessageSizeBytes`.
pub const MAX_MESSAGE_BYTES: usize = 48_000_000;

/// The operation codes in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpCode {
    /// Legacy reply.
    Reply = 1,
    /// Legacy query, in use for the first `isMaster` only.
    Query = 2004,
    /// Everything else.
    Msg = 2013,
}

impl OpCode {
    /// The code in a header.
    #[must_use]
    pub const fn code(self) -> i32 {
        self as i32
    }
}

/// The header that opens every message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Length of the whole message in bytes.
    pub length: i32,
    /// The sender's number for this message.
    pub request_id: i32,
    /// The number of the message that this one answers, or 0.
    pub response_to: i32,
    /// What kind of message follows.
    pub op_code: i32,
}

impl Header {
    /// Reads the header from the first bytes of a message.
    ///
    /// # Errors
    /// If the bytes are too few, or the length is out of bounds.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(bytes);
        let header = Self {
            length: reader.i32("header")?,
            request_id: reader.i32("header")?,
            response_to: reader.i32("header")?,
            op_code: reader.i32("header")?,
        };
        header.message_bytes()?;
        Ok(header)
    }

    /// Length of the whole message in bytes.
    ///
    /// # Errors
    /// If it is out of bounds.
    pub fn message_bytes(&self) -> Result<usize, WireError> {
        usize::try_from(self.length)
            .ok()
            .filter(|length| (HEADER_BYTES..=MAX_MESSAGE_BYTES).contains(length))
            .ok_or(WireError::Length(self.length))
    }
}

/// Appends a message to `out`: a header with the length filled in, and what `body` appends.
pub(super) fn encode(
    out: &mut Vec<u8>,
    request_id: i32,
    response_to: i32,
    op_code: OpCode,
    body: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    for field in [request_id, response_to, op_code.code()] {
        out.extend_from_slice(&field.to_le_bytes());
    }
    body(out);
    patch_length(out, start);
}

/// Writes the number of bytes from `start` to the end of `out` into the four bytes at `start`.
pub(super) fn patch_length(out: &mut [u8], start: usize) {
    // A message beyond i32 cannot be described; receivers refuse the clamped length.
    let length = i32::try_from(out.len() - start).unwrap_or(i32::MAX);
    if let Some(field) = out.get_mut(start..start + 4) {
        field.copy_from_slice(&length.to_le_bytes());
    }
}
