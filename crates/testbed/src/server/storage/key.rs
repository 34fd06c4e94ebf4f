use bson::RawBsonRef;

use super::order;

/// A document's `_id` in a form in which equal values have equal bytes, and which compares as MongoDB orders the values.
///
/// As in MongoDB, numbers of different types are equal if their values are: `1`, `NumberLong(1)` and `1.0` are one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentKey(Box<[u8]>);

impl DocumentKey {
    /// Longest key in bytes; the limit of the key-value store.
    pub const MAX_BYTES: usize = 65_535;

    /// The key for an `_id`, or `None` for types that MongoDB does not accept as one (arrays, regular expressions,
    /// undefined) and for values that are too long.
    #[must_use]
    pub fn new(id: RawBsonRef<'_>) -> Option<Self> {
        if let RawBsonRef::Array(_) | RawBsonRef::RegularExpression(_) | RawBsonRef::Undefined = id {
            return None;
        }
        Self::from_encoded(&order::encoded(id))
    }

    /// The key for an `_id` in its encoded form, as [`order`] makes it; none if it is too long.
    pub(in crate::server) fn from_encoded(encoded: &[u8]) -> Option<Self> {
        (encoded.len() <= Self::MAX_BYTES).then(|| Self(encoded.into()))
    }

    /// What comes before every key, and is none.
    pub(in crate::server) fn below_all() -> Self {
        Self(Box::default())
    }

    /// The key's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::borrow::Borrow<[u8]> for DocumentKey {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, RawBson, doc, oid::ObjectId};

    use super::*;

    fn key(id: impl Into<Bson>) -> Option<DocumentKey> {
        let raw = RawBson::try_from(id.into()).unwrap();
        DocumentKey::new(raw.as_raw_bson_ref())
    }

    #[test]
    fn numbers_are_equal_by_value() {
        assert_eq!(key(1_i32), key(1_i64));
        assert_eq!(key(1_i32), key(1.0));
        assert_ne!(key(1_i32), key(1.5));
    }

    #[test]
    fn other_types_never_collide() {
        let id = ObjectId::new();
        let keys = [
            key("a"),
            key(1),
            key(id),
            key(id.to_hex()),
            key(doc! { "a": 1 }),
            key(true),
            key(Bson::Null),
        ];
        for (at, one) in keys.iter().enumerate() {
            assert!(one.is_some());
            assert!(keys.iter().skip(at + 1).all(|other| other != one));
        }
    }

    #[test]
    fn arrays_and_long_values_are_no_keys() {
        assert_eq!(key(vec![1]), None);
        assert_eq!(key("x".repeat(DocumentKey::MAX_BYTES)), None);
        assert!(key("x".repeat(DocumentKey::MAX_BYTES - 2)).is_some());
    }
}
