use std::io::{self, Read};

use super::{
    error::WireError,
    header::{HEADER_BYTES, Header},
};

/// Space that a connection keeps for messages: most fit, so that one receive gets a whole message.
const KEPT_BYTES: usize = 16 * 1024;

/// Cuts a stream of bytes into messages.
///
/// Memory grows with what has arrived, not with what a header promises.
#[derive(Debug)]
pub struct FrameBuffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Default for FrameBuffer {
    fn default() -> Self {
        Self {
            bytes: vec![0; KEPT_BYTES],
            start: 0,
            end: 0,
        }
    }
}

impl FrameBuffer {
    /// The first whole message that has arrived, if there is one. It stays until [`FrameBuffer::consume`].
    ///
    /// # Errors
    /// If the header's length is out of bounds.
    pub fn frame(&self) -> Result<Option<&[u8]>, WireError> {
        let held = self.bytes.get(self.start..self.end).unwrap_or_default();
        if held.len() < HEADER_BYTES {
            return Ok(None);
        }
        let length = Header::parse(held)?.message_bytes()?;
        Ok(held.get(..length))
    }

    /// Drops the first `count` bytes: the message that [`FrameBuffer::frame`] gave.
    pub fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            if self.bytes.len() > KEPT_BYTES {
                self.bytes.truncate(KEPT_BYTES);
                self.bytes.shrink_to_fit();
            }
        }
    }

    /// Whether nothing is held, not even part of a message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Receives once from `source`; gives the number of bytes, 0 at the end of the stream.
    ///
    /// # Errors
    /// What `source` gives, "would block" included.
    pub fn receive(&mut self, source: &mut impl Read) -> io::Result<usize> {
        if self.end == self.bytes.len() {
            self.make_room();
        }
        let space = self.bytes.get_mut(self.end..).unwrap_or_default();
        let count = source.read(space)?;
        self.end += count;
        Ok(count)
    }

    fn make_room(&mut self) {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        } else {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
    }
}
