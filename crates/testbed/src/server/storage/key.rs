use bson::RawBsonRef;

/// A document's `_id` in a form in which equal values have equal bytes.
///
/// As in MongoDB, numbers of different types are equal if their values are: `1`, `NumberLong(1)` and `1.0` are one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentKey(Box<[u8]>);

/// 2^63, the first f64 past the range of i64.
const I64_RANGE: f64 = 9_223_372_036_854_775_808.0;

impl DocumentKey {
    /// Longest key in bytes; the limit of the key-value store.
    pub const MAX_BYTES: usize = 65_535;

    /// The key for an `_id`, or `None` for types that MongoDB does not accept as one (arrays, regular expressions,
    /// undefined) and for values that are too long.
    #[must_use]
    pub fn new(id: RawBsonRef<'_>) -> Option<Self> {
        let key = match id {
            RawBsonRef::Array(_) | RawBsonRef::RegularExpression(_) | RawBsonRef::Undefined => return None,
            RawBsonRef::Int32(number) => integer(i64::from(number)),
            RawBsonRef::Int64(number) => integer(number),
            RawBsonRef::Double(number) => double(number),
            RawBsonRef::String(text) => tagged(id.element_type() as u8, text.as_bytes()),
            RawBsonRef::ObjectId(id) => tagged(bson::spec::ElementType::ObjectId as u8, &id.bytes()),
            other => {
                let mut document = bson::RawDocumentBuf::new();
                document.append(bson::raw::cstr!(""), other);
                tagged(other.element_type() as u8, document.as_bytes())
            }
        };
        (key.len() <= Self::MAX_BYTES).then(|| Self(key.into()))
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

fn tagged(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + bytes.len());
    key.push(tag);
    key.extend_from_slice(bytes);
    key
}

fn integer(number: i64) -> Vec<u8> {
    tagged(bson::spec::ElementType::Int64 as u8, &number.to_be_bytes())
}

fn double(number: f64) -> Vec<u8> {
    if number.fract() == 0.0 && (-I64_RANGE..I64_RANGE).contains(&number) {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "integral and inside the range of i64"
        )]
        let whole = number as i64;
        integer(whole)
    } else {
        let canonical = if number.is_nan() { f64::NAN } else { number };
        tagged(bson::spec::ElementType::Double as u8, &canonical.to_be_bytes())
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
        assert_eq!(key(0.0), key(-0.0));
        assert_eq!(key(f64::NAN), key(-f64::NAN));
        assert_ne!(key(1_i32), key(1.5));
        assert_ne!(key(i64::MAX), key(I64_RANGE));
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
        assert!(key("x".repeat(DocumentKey::MAX_BYTES - 1)).is_some());
    }
}
