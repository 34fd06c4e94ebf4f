use bson::RawDocument;

use super::{
    error::WireError,
    header::{self, HEADER_BYTES, OpCode},
    reader::Reader,
};

/// The reply flag that says that the server supports the `AwaitData` query option; drivers expect it.
const AWAIT_CAPABLE: i32 = 8;

/// A legacy query.
#[derive(Clone, Debug, PartialEq)]
pub struct OpQuery<'a> {
    /// The namespace, `admin.$cmd` for a command.
    pub collection: &'a str,
    /// The command.
    pub query: &'a RawDocument,
}

impl<'a> OpQuery<'a> {
    /// Parses a whole message, header included; the header has been checked already.
    pub(super) fn parse(message: &'a [u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(message);
        reader.take(HEADER_BYTES, "header")?;
        reader.i32("flags")?;
        let collection = reader.name("collection name")?;
        reader.i32("number to skip")?;
        reader.i32("number to return")?;
        let query = reader.document("query")?;
        if !reader.is_empty() {
            reader.document("field selector")?;
        }
        match reader.remaining() {
            0 => Ok(Self { collection, query }),
            left => Err(WireError::TrailingBytes(left)),
        }
    }
}

/// Appends the OP_REPLY with one document that answers a legacy query.
pub fn encode_reply(out: &mut Vec<u8>, request_id: i32, response_to: i32, document: &RawDocument) {
    header::encode(out, request_id, response_to, OpCode::Reply, |out| {
        let (cursor_id, starting_from, number_returned) = (0_i64, 0_i32, 1_i32);
        out.extend_from_slice(&AWAIT_CAPABLE.to_le_bytes());
        out.extend_from_slice(&cursor_id.to_le_bytes());
        out.extend_from_slice(&starting_from.to_le_bytes());
        out.extend_from_slice(&number_returned.to_le_bytes());
        out.extend_from_slice(document.as_bytes());
    });
}

/// The first document of a whole OP_REPLY, header included.
///
/// # Errors
/// If the message ends early or the document is not valid BSON.
pub fn parse_reply(message: &[u8]) -> Result<&RawDocument, WireError> {
    let mut reader = Reader::new(message);
    reader.take(HEADER_BYTES, "header")?;
    reader.i32("reply flags")?;
    reader.i64("cursor id")?;
    reader.i32("starting position")?;
    reader.i32("number returned")?;
    reader.document("reply")
}
