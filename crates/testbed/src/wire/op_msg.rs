use bson::RawDocument;

use super::{
    error::WireError,
    header::{self, HEADER_BYTES, OpCode},
    reader::Reader,
};

/// Flag bits of an OP_MSG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u32);

impl Flags {
    /// The message ends with a CRC-32C.
    pub const CHECKSUM_PRESENT: Self = Self(1);
    /// No reply is wanted (request), or another reply follows (reply).
    pub const MORE_TO_COME: Self = Self(1 << 1);
    /// The client can take more than one reply.
    pub const EXHAUST_ALLOWED: Self = Self(1 << 16);

    /// Bits of which an unknown one makes a message unusable.
    const REQUIRED: u32 = 0xffff;

    /// Whether all bits of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    fn check(self) -> Result<(), WireError> {
        let unknown = self.0 & Self::REQUIRED & !(Self::CHECKSUM_PRESENT.0 | Self::MORE_TO_COME.0);
        if unknown == 0 {
            Ok(())
        } else {
            Err(WireError::Flags(unknown))
        }
    }
}

/// A section of kind 1: documents under the name of the command's field that they belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence<'a> {
    /// The field, such as `documents` of `insert`.
    pub name: &'a str,
    /// The documents, in order.
    pub documents: Vec<&'a RawDocument>,
}

/// An OP_MSG.
#[derive(Clone, Debug, PartialEq)]
pub struct OpMsg<'a> {
    /// Flag bits.
    pub flags: Flags,
    /// The section of kind 0: the command or the reply.
    pub body: &'a RawDocument,
    /// The sections of kind 1.
    pub sequences: Vec<Sequence<'a>>,
}

impl<'a> OpMsg<'a> {
    /// Parses a whole message, header included; the header has been checked already.
    pub(super) fn parse(message: &'a [u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(message);
        reader.take(HEADER_BYTES, "header")?;
        let flags = Flags(reader.u32("flags")?);
        flags.check()?;
        if flags.contains(Flags::CHECKSUM_PRESENT) {
            reader = verify_checksum(message, reader)?;
        }

        let mut bodies = 0;
        let mut body = None;
        let mut sequences: Vec<Sequence<'a>> = Vec::new();
        while !reader.is_empty() {
            match reader.u8("section kind")? {
                0 => {
                    bodies += 1;
                    body = Some(reader.document("body")?);
                }
                1 => sequences.push(parse_sequence(&mut reader, &sequences)?),
                kind => return Err(WireError::SectionKind(kind)),
            }
        }
        match (body, bodies) {
            (Some(body), 1) => Ok(Self {
                flags,
                body,
                sequences,
            }),
            _ => Err(WireError::BodyCount(bodies)),
        }
    }

    /// The documents of the sequence `name`, if the message has one.
    #[must_use]
    pub fn sequence(&self, name: &str) -> Option<&[&'a RawDocument]> {
        self.sequences
            .iter()
            .find(|sequence| sequence.name == name)
            .map(|sequence| sequence.documents.as_slice())
    }
}

/// More than any command has; the check for equal names looks at all of them.
const MAX_SEQUENCES: usize = 16;

fn parse_sequence<'a>(reader: &mut Reader<'a>, earlier: &[Sequence<'_>]) -> Result<Sequence<'a>, WireError> {
    if earlier.len() == MAX_SEQUENCES {
        return Err(WireError::SequenceCount(MAX_SEQUENCES));
    }
    let mut section = reader.sized("document sequence")?;
    let name = section.name("sequence name")?;
    if earlier.iter().any(|sequence| sequence.name == name) {
        return Err(WireError::DuplicateSequence(name.to_owned()));
    }
    let mut documents = Vec::new();
    while !section.is_empty() {
        documents.push(section.document("document sequence")?);
    }
    Ok(Sequence { name, documents })
}

/// Checks the CRC-32C that ends `message`; gives the reader of what stands between the flags and the checksum.
fn verify_checksum<'a>(message: &'a [u8], mut reader: Reader<'a>) -> Result<Reader<'a>, WireError> {
    let sections = reader
        .remaining()
        .checked_sub(4)
        .ok_or(WireError::Truncated("checksum"))?;
    let sections = reader.take(sections, "sections")?;
    let found = reader.u32("checksum")?;
    let covered = message.get(..message.len() - 4).unwrap_or_default();
    let expected = crc32c::crc32c(covered);
    if found == expected {
        Ok(Reader::new(sections))
    } else {
        Err(WireError::Checksum { found, expected })
    }
}

/// Appends an OP_MSG to `out`; where `flags` asks for a checksum, the message ends with it.
pub fn encode_msg(
    out: &mut Vec<u8>,
    request_id: i32,
    response_to: i32,
    flags: Flags,
    body: &RawDocument,
    sequences: &[Sequence<'_>],
) {
    let start = out.len();
    header::encode(out, request_id, response_to, OpCode::Msg, |out| {
        out.extend_from_slice(&flags.0.to_le_bytes());
        out.push(0);
        out.extend_from_slice(body.as_bytes());
        for sequence in sequences {
            out.push(1);
            let section = out.len();
            out.extend_from_slice(&[0; 4]);
            out.extend_from_slice(sequence.name.as_bytes());
            out.push(0);
            for document in &sequence.documents {
                out.extend_from_slice(document.as_bytes());
            }
            header::patch_length(out, section);
        }
        if flags.contains(Flags::CHECKSUM_PRESENT) {
            out.extend_from_slice(&[0; 4]);
        }
    });
    if flags.contains(Flags::CHECKSUM_PRESENT)
        && let Some((covered, checksum)) = out.get_mut(start..).and_then(<[u8]>::split_last_chunk_mut::<4>)
    {
        *checksum = crc32c::crc32c(covered).to_le_bytes();
    }
}
