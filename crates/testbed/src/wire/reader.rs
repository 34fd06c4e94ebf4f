use bson::RawDocument;

use super::{error::WireError, validate::validate};

/// A cursor over bytes that a peer has sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(WireError::Truncated(what))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], WireError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(WireError::Truncated(what))?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, WireError> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    pub(super) fn i32(&mut self, what: &'static str) -> Result<i32, WireError> {
        self.array(what).map(i32::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, WireError> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn i64(&mut self, what: &'static str) -> Result<i64, WireError> {
        self.array(what).map(i64::from_le_bytes)
    }

    pub(super) fn name(&mut self, what: &'static str) -> Result<&'a str, WireError> {
        let end = self
            .rest
            .iter()
            .position(|&byte| byte == 0)
            .ok_or(WireError::Truncated(what))?;
        let name = self.take(end, what)?;
        self.u8(what)?;
        std::str::from_utf8(name).map_err(|_invalid| WireError::Name)
    }

    /// A length that counts itself, and the bytes after it that it covers.
    pub(super) fn sized(&mut self, what: &'static str) -> Result<Reader<'a>, WireError> {
        let size = self.i32(what)?;
        let rest = usize::try_from(size)
            .ok()
            .and_then(|size| size.checked_sub(4))
            .ok_or(WireError::Truncated(what))?;
        self.take(rest, what).map(Reader::new)
    }

    /// The next document, checked to the last byte.
    pub(super) fn document(&mut self, what: &'static str) -> Result<&'a RawDocument, WireError> {
        let size = Reader::new(self.rest).i32(what)?;
        let size = usize::try_from(size).map_err(|_negative| WireError::Truncated(what))?;
        let document = RawDocument::from_bytes(self.take(size, what)?)
            .map_err(|error| WireError::Bson(error.to_string()))?;
        validate(document)?;
        Ok(document)
    }
}
