//! What a guest tells its host over the serial line: frames that carry a checksum.
//!
//! A frame is a line `CEDE KIND LENGTH SHA256` and LENGTH bytes of JSON behind it. Whatever stands between frames is
//! skipped: a kernel may print there before the guest has taken the line over.

use std::io::{self, Write};

use thiserror::Error;

use crate::digest::sha256;

const MARK: &str = "CEDE ";
/// Longest header line that is looked for: mark, kind, length and checksum.
const HEADER_BYTES: usize = 256;

/// One message of a guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// What it is: one word.
    pub(crate) kind: String,
    /// JSON.
    pub(crate) payload: Vec<u8>,
}

impl Frame {
    /// The kind of a frame that says, as a JSON string, why there is no result.
    pub(crate) const FAILURE: &'static str = "failure";

    /// What it says, of a frame whose payload is a JSON string.
    pub(crate) fn text(&self) -> String {
        serde_json::from_slice(&self.payload)
            .unwrap_or_else(|_| String::from_utf8_lossy(&self.payload).into_owned())
    }
}

/// Why frames cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FrameError {
    /// It ends before its length.
    #[error("a frame `{kind}` of {length} bytes ends after {got}")]
    Short {
        /// The kind.
        kind: String,
        /// Its length, by its header.
        length: usize,
        /// What is there of it.
        got: usize,
    },
    /// It was damaged on its way.
    #[error("a frame `{kind}` has the wrong checksum")]
    Checksum {
        /// The kind.
        kind: String,
    },
}

/// Writes one frame; `kind` is one word.
pub(crate) fn write(mut to: impl Write, kind: &str, payload: &[u8]) -> io::Result<()> {
    let header = format!("\n{MARK}{kind} {} {}\n", payload.len(), sha256(payload));
    to.write_all(header.as_bytes())?;
    to.write_all(payload)?;
    to.write_all(b"\n")?;
    to.flush()
}

/// The frames in `bytes`, in order.
pub(crate) fn read(mut bytes: &[u8]) -> Result<Vec<Frame>, FrameError> {
    let mut frames = Vec::new();
    while let Some((header, rest)) = next_header(bytes) {
        let Header {
            kind,
            length,
            checksum,
        } = header;
        let Some((payload, rest)) = rest.split_at_checked(length) else {
            return Err(FrameError::Short {
                kind,
                length,
                got: rest.len(),
            });
        };
        if sha256(payload) != checksum {
            return Err(FrameError::Checksum { kind });
        }
        frames.push(Frame {
            kind,
            payload: payload.to_vec(),
        });
        bytes = rest;
    }
    Ok(frames)
}

struct Header {
    kind: String,
    length: usize,
    checksum: String,
}

/// The next header line that is complete, and what follows it.
fn next_header(bytes: &[u8]) -> Option<(Header, &[u8])> {
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let mut read = 0;
    lines.find_map(|line| {
        read += line.len();
        let header = line
            .strip_suffix(b"\n")
            .filter(|line| line.len() <= HEADER_BYTES)?;
        let header = std::str::from_utf8(header).ok()?.strip_prefix(MARK)?;
        let mut words = header.split(' ');
        let header = Header {
            kind: words.next()?.to_owned(),
            length: words.next()?.parse().ok()?,
            checksum: words.next()?.to_owned(),
        };
        Some((header, bytes.get(read..)?))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn framed(kind: &str, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, kind, payload).unwrap();
        bytes
    }

    proptest! {
        #[test]
        fn frames_survive_noise_between_them(
            payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..5),
            noise in "[^\n]{0,40}\r?\n?",
        ) {
            let mut bytes = noise.clone().into_bytes();
            for payload in &payloads {
                bytes.extend(framed("result", payload));
                bytes.extend(noise.as_bytes());
            }
            let read: Vec<_> = read(&bytes).unwrap().into_iter().map(|frame| frame.payload).collect();
            prop_assert_eq!(read, payloads);
        }

        #[test]
        fn damage_never_passes(payload in prop::collection::vec(any::<u8>(), 1..200), at in any::<prop::sample::Index>()) {
            let mut bytes = framed("result", &payload);
            let start = bytes.len() - 1 - payload.len();
            bytes[start + at.index(payload.len())] ^= 0x20;
            prop_assert_eq!(read(&bytes), Err(FrameError::Checksum { kind: "result".into() }));
        }

        #[test]
        fn a_frame_that_is_cut_off_is_an_error_or_absent(payload in prop::collection::vec(any::<u8>(), 1..200), cut in any::<prop::sample::Index>()) {
            let bytes = framed("result", &payload);
            let kept = cut.index(bytes.len() - 1);
            prop_assert!(read(&bytes[..kept]).map_or(true, |frames| frames.is_empty()));
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _any = read(&bytes);
        }
    }
}
