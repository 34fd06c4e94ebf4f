use bson::{Bson, RawBson, Regex, Timestamp, doc, oid::ObjectId, spec::BinarySubtype};
use proptest::prelude::*;

use super::*;

fn key(value: impl Into<Bson>) -> Vec<u8> {
    let raw = RawBson::try_from(value.into()).unwrap();
    encoded(raw.as_raw_bson_ref())
}

fn binary(bytes: &[u8]) -> Bson {
    Bson::Binary(bson::Binary {
        subtype: BinarySubtype::Generic,
        bytes: bytes.to_vec(),
    })
}

#[test]
fn values_are_in_the_documented_order() {
    let ascending = [
        Bson::MinKey,
        Bson::Null,
        f64::NAN.into(),
        f64::NEG_INFINITY.into(),
        i64::MIN.into(),
        (-1.5).into(),
        (-1).into(),
        0.into(),
        f64::MIN_POSITIVE.into(),
        1_i64.into(),
        1.5.into(),
        (1_i64 << 53).into(),
        ((1_i64 << 53) + 1).into(),
        9_007_199_254_740_994.0.into(),
        i64::MAX.into(),
        9_223_372_036_854_775_808.0.into(),
        f64::INFINITY.into(),
        "".into(),
        "a".into(),
        "a\0".into(),
        "a\0b".into(),
        "aa".into(),
        "b".into(),
        doc! {}.into(),
        doc! { "z": 1 }.into(),
        doc! { "z": 1, "a": 1 }.into(),
        doc! { "z": 2 }.into(),
        doc! { "a": "text" }.into(),
        Bson::Array(vec![]),
        Bson::Array(vec![1.into()]),
        Bson::Array(vec![1.into(), 1.into()]),
        Bson::Array(vec![2.into()]),
        binary(b"zz"),
        binary(b"aaa"),
        ObjectId::from_bytes([0; 12]).into(),
        ObjectId::from_bytes([1; 12]).into(),
        false.into(),
        true.into(),
        bson::DateTime::from_millis(-1).into(),
        bson::DateTime::from_millis(1).into(),
        Bson::Timestamp(Timestamp {
            time: 1,
            increment: 9,
        }),
        Bson::Timestamp(Timestamp {
            time: 2,
            increment: 0,
        }),
        Bson::RegularExpression(Regex {
            pattern: cstr!("a").into(),
            options: cstr!("").into(),
        }),
        Bson::MaxKey,
    ];
    for pair in ascending.windows(2) {
        assert!(
            key(pair[0].clone()) < key(pair[1].clone()),
            "{} < {}",
            pair[0],
            pair[1]
        );
    }
}

#[test]
fn numbers_are_equal_by_value() {
    assert_eq!(key(1_i32), key(1_i64));
    assert_eq!(key(1_i32), key(1.0));
    assert_eq!(key(1.5), key(Bson::Decimal128("1.50".parse().unwrap())));
    assert_eq!(key(0.0), key(-0.0));
    assert_eq!(key(f64::NAN), key(-f64::NAN));
    assert_eq!(key(f64::NAN), NAN);
    assert_eq!(key(Bson::Null), NULL);
}

fn numbers() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        -3..3_i64,
        (1_i64 << 53) - 3..(1_i64 << 53) + 3,
        i64::MAX - 3..=i64::MAX
    ]
}

proptest! {
    #[test]
    fn whole_numbers_compare_as_such(one in numbers(), other in numbers()) {
        prop_assert_eq!(key(one).cmp(&key(other)), one.cmp(&other));
    }

    #[test]
    fn whole_numbers_compare_with_doubles(one in numbers(), steps in -2..3_i64) {
        // A double near the whole number: exact comparison goes by i128, which holds both.
        let double = f64::from_bits((one as f64).to_bits().wrapping_add_signed(steps));
        prop_assume!(double.is_finite() && double.fract() == 0.0 && double.abs() < 1e30);
        #[allow(clippy::cast_possible_truncation, reason = "integral and within the range")]
        let exact = double as i128;
        prop_assert_eq!(key(one).cmp(&key(double)), i128::from(one).cmp(&exact));
    }

    #[test]
    fn text_compares_by_bytes_also_within_a_tuple(
        one in ("[a\0b]{0,4}", -1..2_i32),
        other in ("[a\0b]{0,4}", -1..2_i32),
    ) {
        let tuple = |(text, number): &(String, i32)| [key(text.as_str()), key(*number)].concat();
        prop_assert_eq!(tuple(&one).cmp(&tuple(&other)), one.cmp(&other));
    }
}
