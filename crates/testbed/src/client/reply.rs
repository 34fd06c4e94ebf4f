//! Replies: just enough parsing to know that the server did what it was asked to.

use bson::{RawBsonRef, RawDocument};

use crate::wire::{HEADER_BYTES, Header, Message, OpCode, WireError};

/// What a reply has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// `ok: 1`.
    Ok,
    /// `ok: 1` and a cursor whose first batch has a document.
    Document,
    /// `ok: 1` and `n: 1`.
    OneChanged,
}

/// Why a reply is not what was asked for.
#[derive(Debug)]
pub(super) enum Fault {
    /// The server could not do it; the connection is sound.
    Failed(String),
    /// This is not the protocol; the connection is of no use any more.
    Protocol(String),
}

impl From<WireError> for Fault {
    fn from(error: WireError) -> Self {
        Self::Protocol(format!("malformed reply: {error}"))
    }
}

impl From<bson::error::Error> for Fault {
    fn from(error: bson::error::Error) -> Self {
        Self::Protocol(format!("malformed reply: {error}"))
    }
}

/// Checks that `frame`, a whole message, answers the request `request_id` as expected.
pub(super) fn check(frame: &[u8], request_id: i32, expected: Expected) -> Result<(), Fault> {
    let body = body(frame, request_id)?;
    if number(body, "ok")? != Some(1) {
        return Err(Fault::Failed(refusal(body)));
    }
    match expected {
        Expected::Ok => Ok(()),
        Expected::Document if has_document(body)? => Ok(()),
        Expected::Document => Err(Fault::Failed("a read found no document".to_owned())),
        Expected::OneChanged => match number(body, "n")? {
            Some(1) => Ok(()),
            _ => Err(Fault::Failed(match write_error(body) {
                Some(error) => format!("an update failed: {error}"),
                None => "an update found no document".to_owned(),
            })),
        },
    }
}

/// The document in `frame`, once it is certain that it answers `request_id`.
///
/// The common case, one section and no flags, is read where it stands: its elements are checked as far as they are
/// looked at. Anything else goes through the full parser.
pub(super) fn body(frame: &[u8], request_id: i32) -> Result<&RawDocument, Fault> {
    const PLAIN: &[u8] = &[0, 0, 0, 0, 0];
    let header = Header::parse(frame)?;
    if header.op_code != OpCode::Msg.code() {
        return Err(WireError::OpCode(header.op_code).into());
    }
    if header.response_to != request_id {
        let answered = header.response_to;
        return Err(Fault::Protocol(format!(
            "a reply to request {answered} came for request {request_id}"
        )));
    }
    let sections = frame.get(HEADER_BYTES..).unwrap_or_default();
    if let Some(document) = sections.strip_prefix(PLAIN) {
        return Ok(RawDocument::from_bytes(document)?);
    }
    match Message::parse(frame)? {
        (_, Message::Msg(message)) if message.flags.contains(crate::wire::Flags::MORE_TO_COME) => Err(
            Fault::Protocol("the server announced a reply that nobody asked for".to_owned()),
        ),
        (_, Message::Msg(message)) => Ok(message.body),
        (_, Message::Query(_)) => Err(WireError::OpCode(header.op_code).into()),
    }
}

/// A whole number, of whatever BSON type: servers differ in how they write `ok` and `n`.
pub(super) fn number(body: &RawDocument, name: &str) -> Result<Option<i64>, bson::error::Error> {
    Ok(match body.get(name)? {
        Some(RawBsonRef::Int32(value)) => Some(value.into()),
        Some(RawBsonRef::Int64(value)) => Some(value),
        Some(RawBsonRef::Double(value)) => whole(value),
        Some(RawBsonRef::Boolean(value)) => Some(value.into()),
        _ => None,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "only whole numbers within 2^53 pass"
)]
fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
}

fn has_document(body: &RawDocument) -> Result<bool, Fault> {
    let Some(RawBsonRef::Document(cursor)) = body.get("cursor")? else {
        return Ok(false);
    };
    let Some(RawBsonRef::Array(batch)) = cursor.get("firstBatch")? else {
        return Ok(false);
    };
    match batch.into_iter().next().transpose()? {
        Some(RawBsonRef::Document(document)) => Ok(!document.is_empty()),
        _ => Ok(false),
    }
}

/// The server's words for why a command failed as a whole.
pub(super) fn refusal(body: &RawDocument) -> String {
    let text = body.get_str("errmsg").unwrap_or("no reason given");
    match body.get_str("codeName") {
        Ok(name) => format!("{text} ({name})"),
        Err(_absent) => text.to_owned(),
    }
}

/// The server's words for why a write failed, if it gives any.
pub(super) fn write_error(body: &RawDocument) -> Option<String> {
    let errors = body.get_array("writeErrors").ok()?;
    match errors.into_iter().next() {
        Some(Ok(RawBsonRef::Document(error))) => Some(refusal(error)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bson::{RawDocumentBuf, rawdoc};

    use super::*;
    use crate::wire::{Flags, encode_msg};

    fn reply(flags: Flags, body: &RawDocumentBuf) -> Vec<u8> {
        let mut out = Vec::new();
        encode_msg(&mut out, 100, 7, flags, body, &[]);
        out
    }

    fn fault(body: &RawDocumentBuf, expected: Expected) -> String {
        match check(&reply(Flags::default(), body), 7, expected) {
            Ok(()) => "none".to_owned(),
            Err(Fault::Failed(text)) => format!("failed: {text}"),
            Err(Fault::Protocol(text)) => format!("protocol: {text}"),
        }
    }

    #[test]
    fn good_replies_pass_whatever_the_type_of_ok() {
        let found =
            rawdoc! { "cursor": { "firstBatch": [{ "_id": "a" }], "id": 0_i64, "ns": "a.b" }, "ok": 1.0 };
        assert_eq!(fault(&found, Expected::Document), "none");
        assert_eq!(
            fault(&rawdoc! { "n": 1, "nModified": 0, "ok": 1 }, Expected::OneChanged),
            "none"
        );
        assert_eq!(
            fault(&rawdoc! { "ok": 1_i64, "n": 1_i64 }, Expected::OneChanged),
            "none"
        );
        assert_eq!(fault(&rawdoc! { "ok": true }, Expected::Ok), "none");
    }

    #[test]
    fn checksums_are_verified() {
        let mut frame = reply(Flags::CHECKSUM_PRESENT, &rawdoc! { "ok": 1.0 });
        assert!(check(&frame, 7, Expected::Ok).is_ok());
        *frame.last_mut().unwrap() ^= 1;
        assert!(matches!(check(&frame, 7, Expected::Ok), Err(Fault::Protocol(_))));
    }

    #[test]
    fn failures_leave_the_connection_sound() {
        let refused = rawdoc! { "ok": 0.0, "errmsg": "no", "code": 59, "codeName": "CommandNotFound" };
        assert_eq!(
            fault(&refused, Expected::Document),
            "failed: no (CommandNotFound)"
        );
        assert_eq!(fault(&rawdoc! {}, Expected::Ok), "failed: no reason given");
        let empty = rawdoc! { "cursor": { "firstBatch": [], "id": 0_i64 }, "ok": 1.0 };
        assert_eq!(
            fault(&empty, Expected::Document),
            "failed: a read found no document"
        );
        assert_eq!(
            fault(&rawdoc! { "ok": 1.0 }, Expected::Document),
            "failed: a read found no document"
        );
        let missed = rawdoc! { "n": 0, "nModified": 0, "ok": 1.0 };
        assert_eq!(
            fault(&missed, Expected::OneChanged),
            "failed: an update found no document"
        );
        let failed = rawdoc! { "n": 0, "writeErrors": [{ "index": 0, "errmsg": "full" }], "ok": 1.0 };
        assert_eq!(
            fault(&failed, Expected::OneChanged),
            "failed: an update failed: full"
        );
    }

    #[test]
    fn foreign_replies_are_protocol_faults() {
        let frame = reply(Flags::default(), &rawdoc! { "ok": 1.0 });
        assert!(matches!(check(&frame, 8, Expected::Ok), Err(Fault::Protocol(_))));
        let more = reply(Flags::MORE_TO_COME, &rawdoc! { "ok": 1.0 });
        assert!(matches!(check(&more, 7, Expected::Ok), Err(Fault::Protocol(_))));
        for end in HEADER_BYTES..frame.len() {
            assert!(
                matches!(check(&frame[..end], 7, Expected::Ok), Err(Fault::Protocol(_))),
                "{end}"
            );
        }
    }
}
