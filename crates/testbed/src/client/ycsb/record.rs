use std::ops::Range;

use bson::{
    Binary, RawDocumentBuf,
    raw::{CStr, cstr},
    spec::BinarySubtype,
};
use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::key::Key;

/// Bytes of a field.
pub(in crate::client) const FIELD_BYTES: usize = 100;
/// The names of a record's fields.
pub(in crate::client) const FIELDS: [&CStr; 10] = [
    cstr!("field0"),
    cstr!("field1"),
    cstr!("field2"),
    cstr!("field3"),
    cstr!("field4"),
    cstr!("field5"),
    cstr!("field6"),
    cstr!("field7"),
    cstr!("field8"),
    cstr!("field9"),
];

/// What is in a field.
pub(in crate::client) type Value = [u8; FIELD_BYTES];

/// Random printable bytes: the 64 ASCII characters from the space up, eight from each random number.
pub(in crate::client) fn random_value(random: &mut impl Rng) -> Value {
    const LOW_SIX_BITS: u64 = 0x3F3F_3F3F_3F3F_3F3F;
    const SPACES: u64 = 0x2020_2020_2020_2020;
    let mut value = [0; FIELD_BYTES];
    for chunk in value.chunks_mut(8) {
        let characters = ((random.next_u64() & LOW_SIX_BITS) + SPACES).to_le_bytes();
        for (byte, character) in chunk.iter_mut().zip(characters) {
            *byte = character;
        }
    }
    value
}

/// The document of record `number`: its key and ten random fields.
fn record(number: u64, random: &mut impl Rng) -> RawDocumentBuf {
    let mut document = RawDocumentBuf::new();
    document.append(cstr!("_id"), Key::of(number).to_string());
    for field in FIELDS {
        let bytes = random_value(random).to_vec();
        let subtype = BinarySubtype::Generic;
        document.append(field, Binary { subtype, bytes });
    }
    document
}

/// The documents of the records `numbers`. They depend on these and the seed alone, so it does not matter which
/// thread makes which batch.
pub(in crate::client) fn record_batch(numbers: Range<u64>, seed: u64) -> Vec<RawDocumentBuf> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(numbers.start));
    numbers.map(|number| record(number, &mut random)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_a_key_and_ten_fields_of_a_hundred_printable_bytes() {
        let document = record(0, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        let mut elements = document.iter().map(Result::unwrap);
        let (name, id) = elements.next().unwrap();
        assert_eq!(
            (name.as_str(), id.as_str()),
            ("_id", Some("user6284781860667377211"))
        );
        let mut fields = 0;
        for (index, (name, value)) in elements.enumerate() {
            let bytes = value.as_binary().unwrap().bytes;
            assert_eq!(name.as_str(), format!("field{index}"));
            assert_eq!(bytes.len(), 100);
            assert!(bytes.iter().all(|byte| (b' '..=b'~').contains(byte)));
            fields += 1;
        }
        assert_eq!(fields, 10);
    }

    #[test]
    fn values_use_all_characters() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut seen = [false; 256];
        for _ in 0..100 {
            for byte in random_value(&mut random) {
                seen[usize::from(byte)] = true;
            }
        }
        assert_eq!(seen.iter().filter(|&&byte| byte).count(), 64);
    }
}
