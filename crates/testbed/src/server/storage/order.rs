//! BSON values as bytes that compare as MongoDB orders the values: by type, then by value.
//!
//! Keys of documents, entries of indexes, sort keys and comparisons in filters all go by it, so that there is one order.
//! Several in a row compare like a tuple: no encoding is the beginning of another one, but where a zero byte of a text
//! follows, and that is written with a byte above every tag.

use bson::{Decimal128, RawArray, RawBsonRef, RawDocument, raw::cstr};

/// Ends text, documents and arrays; below every tag, so that what is shorter comes first.
const END: u8 = 0;
/// Follows a zero byte that is part of a text; above every tag.
const ESCAPE: u8 = 0xff;
/// From here on, neighbours of a double are more than 1 apart, and whole numbers need more than its 53 bits.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Places of the types in the order. Types that share one compare by value: all numbers, text and symbols.
pub mod tag {
    /// Below everything.
    pub const MIN_KEY: u8 = 0x08;
    /// A value that is deprecated, and an empty array where a sort asks for one element.
    pub const UNDEFINED: u8 = 0x10;
    /// Null, and no value at all.
    pub const NULL: u8 = 0x18;
    /// Numbers of all types.
    pub const NUMBER: u8 = 0x20;
    pub(super) const TEXT: u8 = 0x28;
    pub(super) const DOCUMENT: u8 = 0x30;
    /// Arrays.
    pub const ARRAY: u8 = 0x38;
    pub(super) const BINARY: u8 = 0x40;
    pub(super) const OBJECT_ID: u8 = 0x48;
    pub(super) const BOOLEAN: u8 = 0x50;
    pub(super) const DATE: u8 = 0x58;
    pub(super) const TIMESTAMP: u8 = 0x60;
    pub(super) const REGULAR_EXPRESSION: u8 = 0x68;
    pub(super) const DB_POINTER: u8 = 0x70;
    pub(super) const CODE: u8 = 0x78;
    pub(super) const CODE_WITH_SCOPE: u8 = 0x80;
    /// Above everything.
    pub const MAX_KEY: u8 = 0xf0;
}

/// The encoding of null.
pub const NULL: &[u8] = &[tag::NULL];
/// Above every byte that may follow an encoding: the encodings that begin with a given one lie between it and it with this.
pub const ABOVE: u8 = ESCAPE;
/// The encoding of every NaN: below all other numbers.
pub const NAN: &[u8] = &[tag::NUMBER, 0, 0, 0, 0, 0, 0, 0, 0];

/// The encoding of `value`.
#[must_use]
pub fn encoded(value: RawBsonRef<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(24);
    encode(value, &mut out);
    out
}

/// The first byte of the encoding of `value`.
#[must_use]
pub const fn tag_of(value: &RawBsonRef<'_>) -> u8 {
    match value {
        RawBsonRef::MinKey => tag::MIN_KEY,
        RawBsonRef::Undefined => tag::UNDEFINED,
        RawBsonRef::Null => tag::NULL,
        RawBsonRef::Double(_) | RawBsonRef::Int32(_) | RawBsonRef::Int64(_) | RawBsonRef::Decimal128(_) => {
            tag::NUMBER
        }
        RawBsonRef::String(_) | RawBsonRef::Symbol(_) => tag::TEXT,
        RawBsonRef::Document(_) => tag::DOCUMENT,
        RawBsonRef::Array(_) => tag::ARRAY,
        RawBsonRef::Binary(_) => tag::BINARY,
        RawBsonRef::ObjectId(_) => tag::OBJECT_ID,
        RawBsonRef::Boolean(_) => tag::BOOLEAN,
        RawBsonRef::DateTime(_) => tag::DATE,
        RawBsonRef::Timestamp(_) => tag::TIMESTAMP,
        RawBsonRef::RegularExpression(_) => tag::REGULAR_EXPRESSION,
        RawBsonRef::DbPointer(_) => tag::DB_POINTER,
        RawBsonRef::JavaScriptCode(_) => tag::CODE,
        RawBsonRef::JavaScriptCodeWithScope(_) => tag::CODE_WITH_SCOPE,
        RawBsonRef::MaxKey => tag::MAX_KEY,
    }
}

/// Appends the encoding of `value` to `out`.
pub fn encode(value: RawBsonRef<'_>, out: &mut Vec<u8>) {
    out.push(tag_of(&value));
    match value {
        RawBsonRef::MinKey | RawBsonRef::Undefined | RawBsonRef::Null | RawBsonRef::MaxKey => {}
        RawBsonRef::Int32(number) => double(f64::from(number), 0, out),
        RawBsonRef::Int64(number) => whole(number, out),
        RawBsonRef::Double(number) => double(number, 0, out),
        RawBsonRef::Decimal128(number) => double(nearest(number), 0, out),
        RawBsonRef::String(content) | RawBsonRef::Symbol(content) | RawBsonRef::JavaScriptCode(content) => {
            text(content.as_bytes(), out);
        }
        RawBsonRef::Document(content) => document(content, out),
        RawBsonRef::Array(content) => array(content, out),
        RawBsonRef::Binary(binary) => {
            out.extend_from_slice(
                &u32::try_from(binary.bytes.len())
                    .unwrap_or(u32::MAX)
                    .to_be_bytes(),
            );
            out.push(binary.subtype.into());
            out.extend_from_slice(binary.bytes);
        }
        RawBsonRef::ObjectId(id) => out.extend_from_slice(&id.bytes()),
        RawBsonRef::Boolean(flag) => out.push(u8::from(flag)),
        RawBsonRef::DateTime(date) => out.extend_from_slice(&signed(date.timestamp_millis())),
        RawBsonRef::Timestamp(stamp) => {
            out.extend_from_slice(&stamp.time.to_be_bytes());
            out.extend_from_slice(&stamp.increment.to_be_bytes());
        }
        RawBsonRef::RegularExpression(expression) => {
            text(expression.pattern.as_str().as_bytes(), out);
            text(expression.options.as_str().as_bytes(), out);
        }
        RawBsonRef::JavaScriptCodeWithScope(code) => {
            text(code.code.as_bytes(), out);
            document(code.scope, out);
        }
        RawBsonRef::DbPointer(_) => {
            // Deprecated, and its parts are not public: any order will do.
            let mut holder = bson::RawDocumentBuf::new();
            holder.append(cstr!(""), value);
            text(holder.as_bytes(), out);
        }
    }
}

/// A double, and how far the value is from it, for whole numbers that no double is equal to.
fn double(number: f64, rest: i64, out: &mut Vec<u8>) {
    let bits = if number.is_nan() {
        0
    } else {
        // -0.0 is equal to 0.0.
        let bits = (number + 0.0).to_bits();
        if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
    };
    out.extend_from_slice(&bits.to_be_bytes());
    if number.abs() >= EXACT {
        out.extend_from_slice(&signed(rest));
    }
}

fn whole(number: i64, out: &mut Vec<u8>) {
    let rounded = number as f64;
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the double nearest to an i64 is inside the range of i128"
    )]
    let rest = i128::from(number) - rounded as i128;
    double(rounded, i64::try_from(rest).unwrap_or(0), out);
}

/// The double nearest to a decimal: two decimals with the same one count as equal, unlike in MongoDB.
fn nearest(number: Decimal128) -> f64 {
    number.to_string().parse().unwrap_or(f64::NAN)
}

fn signed(number: i64) -> [u8; 8] {
    (number.cast_unsigned() ^ 1 << 63).to_be_bytes()
}

fn text(content: &[u8], out: &mut Vec<u8>) {
    for (index, part) in content.split(|byte| *byte == END).enumerate() {
        if index > 0 {
            out.extend_from_slice(&[END, ESCAPE]);
        }
        out.extend_from_slice(part);
    }
    out.push(END);
}

/// Field by field: the type, the name, the value.
fn document(content: &RawDocument, out: &mut Vec<u8>) {
    for (name, value) in content.iter().filter_map(Result::ok) {
        out.push(tag_of(&value));
        text(name.as_str().as_bytes(), out);
        encode(value, out);
    }
    out.push(END);
}

fn array(content: &RawArray, out: &mut Vec<u8>) {
    for value in content.into_iter().filter_map(Result::ok) {
        encode(value, out);
    }
    out.push(END);
}

#[cfg(test)]
mod tests;
