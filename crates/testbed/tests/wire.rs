//! Properties of the wire protocol's parser.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_cmp,
    reason = "a test fails by panicking, also in its helpers; replies carry exact numbers"
)]

use std::io::Cursor;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use proptest::prelude::*;
use testbed::wire::{
    Flags, FrameBuffer, HEADER_BYTES, Header, MAX_MESSAGE_BYTES, Message, OpMsg, Sequence, WireError,
    encode_msg, encode_reply, parse_reply,
};

fn values() -> impl Strategy<Value = Bson> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Bson::Int32),
        any::<i64>().prop_map(Bson::Int64),
        (-1e300..1e300).prop_map(Bson::Double),
        any::<bool>().prop_map(Bson::Boolean),
        ".{0,12}".prop_map(Bson::String),
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| {
            Bson::Binary(bson::Binary {
                subtype: bson::spec::BinarySubtype::Generic,
                bytes,
            })
        }),
        Just(Bson::Null),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Bson::Array),
            proptest::collection::vec(("[a-z]{1,4}", inner), 0..4)
                .prop_map(|fields| Bson::Document(fields.into_iter().collect())),
        ]
    })
}

fn documents() -> impl Strategy<Value = RawDocumentBuf> {
    proptest::collection::vec(("[a-zA-Z_$]{1,8}", values()), 0..5)
        .prop_map(|fields| RawDocumentBuf::try_from(&fields.into_iter().collect::<Document>()).unwrap())
}

/// The parts of an OP_MSG: its flags, its body, and sequences with names of their own.
fn parts() -> impl Strategy<Value = (Flags, RawDocumentBuf, Vec<(String, Vec<RawDocumentBuf>)>)> {
    let flags = prop_oneof![
        Just(Flags::default()),
        Just(Flags::CHECKSUM_PRESENT),
        Just(Flags::MORE_TO_COME),
        Just(Flags(Flags::CHECKSUM_PRESENT.0 | Flags::EXHAUST_ALLOWED.0)),
    ];
    let sequences =
        proptest::collection::btree_map("[a-z]{1,10}", proptest::collection::vec(documents(), 0..3), 0..3);
    (flags, documents(), sequences)
        .prop_map(|(flags, body, sequences)| (flags, body, sequences.into_iter().collect()))
}

fn encode(flags: Flags, body: &RawDocument, sequences: &[(String, Vec<RawDocumentBuf>)]) -> Vec<u8> {
    let sequences: Vec<_> = sequences
        .iter()
        .map(|(name, documents)| Sequence {
            name,
            documents: documents.iter().map(AsRef::as_ref).collect(),
        })
        .collect();
    let mut bytes = Vec::new();
    encode_msg(&mut bytes, 5, 3, flags, body, &sequences);
    bytes
}

proptest! {
    #[test]
    fn what_is_encoded_is_parsed((flags, body, sequences) in parts()) {
        let bytes = encode(flags, &body, &sequences);
        let (header, message) = Message::parse(&bytes).unwrap();
        prop_assert_eq!((header.request_id, header.response_to), (5, 3));
        let expected = OpMsg {
            flags,
            body: &body,
            sequences: sequences
                .iter()
                .map(|(name, documents)| Sequence { name, documents: documents.iter().map(AsRef::as_ref).collect() })
                .collect(),
        };
        prop_assert_eq!(message, Message::Msg(expected));
    }

    #[test]
    fn any_bytes_are_parsed_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _parsed = Message::parse(&bytes);
        let _reply = parse_reply(&bytes);
    }

    #[test]
    fn a_damaged_message_is_parsed_or_refused(
        (flags, body, sequences) in parts(),
        at in any::<prop::sample::Index>(),
        value in any::<u8>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = encode(flags, &body, &sequences);
        let at = at.index(bytes.len());
        bytes[at] = value;
        let _parsed = Message::parse(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        // The length in the header gives a cut message away, unless it was hit itself.
        prop_assert!(Message::parse(&bytes).is_err() || at < 4);
    }

    #[test]
    fn a_checksum_finds_every_flipped_bit((_, body, sequences) in parts(), at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let mut bytes = encode(Flags::CHECKSUM_PRESENT, &body, &sequences);
        // Behind the header and the flags: those decide whether there is a checksum at all.
        let first = HEADER_BYTES + 4;
        let at = first + at.index(bytes.len() - first);
        bytes[at] ^= 1 << bit;
        let refused = matches!(Message::parse(&bytes), Err(WireError::Checksum { .. }));
        prop_assert!(refused);
    }

    #[test]
    fn messages_are_cut_out_of_any_stream(
        messages in proptest::collection::vec(parts(), 1..6),
        receive in 1..700_usize,
    ) {
        let messages: Vec<_> = messages.iter().map(|(flags, body, sequences)| encode(*flags, body, sequences)).collect();
        let stream = messages.concat();
        let mut chunks = stream.chunks(receive);
        let (mut buffer, mut found) = (FrameBuffer::default(), Vec::new());
        loop {
            while let Some(frame) = buffer.frame().unwrap() {
                let length = frame.len();
                found.push(frame.to_vec());
                buffer.consume(length);
            }
            let Some(chunk) = chunks.next() else { break };
            let mut chunk = Cursor::new(chunk);
            while buffer.receive(&mut chunk).unwrap() > 0 {}
        }
        prop_assert_eq!(found, messages);
        prop_assert!(buffer.is_empty());
    }

    #[test]
    fn legacy_replies_are_parsed(document in documents()) {
        let mut bytes = Vec::new();
        encode_reply(&mut bytes, 1, 2, &document);
        prop_assert_eq!(parse_reply(&bytes).unwrap(), document.as_ref());
    }
}

#[test]
fn a_large_message_passes_and_one_too_large_does_not() {
    let body = RawDocumentBuf::try_from(&doc! { "insert": "c", "text": "x".repeat(3_000_000) }).unwrap();
    let bytes = encode(Flags::default(), &body, &[]);
    let (mut buffer, mut source) = (FrameBuffer::default(), Cursor::new(&bytes));
    while buffer.receive(&mut source).unwrap() > 0 {}
    assert_eq!(buffer.frame().unwrap(), Some(bytes.as_slice()));

    let length = |bytes: usize| i32::try_from(bytes).unwrap().to_le_bytes();
    let header = |bytes| [&length(bytes)[..], &[0; 12]].concat();
    assert!(Header::parse(&header(MAX_MESSAGE_BYTES)).is_ok());
    assert_eq!(
        Header::parse(&header(MAX_MESSAGE_BYTES + 1)),
        Err(WireError::Length(48_000_001))
    );
}

#[test]
fn rules_of_the_protocol_are_enforced() {
    let body = RawDocumentBuf::try_from(&doc! { "ping": 1 }).unwrap();
    let parse = |bytes: &[u8]| Message::parse(bytes).map(|_| ()).unwrap_err();
    let patched = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = encode(Flags::default(), &body, &[]);
        change(&mut bytes);
        let length = i32::try_from(bytes.len()).unwrap().to_le_bytes();
        bytes[..4].copy_from_slice(&length);
        bytes
    };
    let second_body = patched(&|bytes| {
        bytes.push(0);
        bytes.extend_from_slice(body.as_bytes());
    });
    assert_eq!(parse(&second_body), WireError::BodyCount(2));
    assert_eq!(
        parse(&patched(&|bytes| bytes.truncate(HEADER_BYTES + 4))),
        WireError::BodyCount(0)
    );
    assert_eq!(
        parse(&patched(&|bytes| bytes[HEADER_BYTES] = 4)),
        WireError::Flags(4)
    );
    assert_eq!(parse(&patched(&|bytes| bytes.push(9))), WireError::SectionKind(9));
    let optional = patched(&|bytes| bytes[HEADER_BYTES + 3] = 0x80);
    assert!(
        Message::parse(&optional).is_ok(),
        "unknown bits from 16 up are ignored"
    );
    let many = (0..17)
        .map(|number| (format!("sequence{number}"), vec![]))
        .collect::<Vec<_>>();
    assert_eq!(
        parse(&encode(Flags::default(), &body, &many)),
        WireError::SequenceCount(16)
    );
    let twice = vec![("documents".to_owned(), vec![]), ("documents".to_owned(), vec![])];
    assert_eq!(
        parse(&encode(Flags::default(), &body, &twice)),
        WireError::DuplicateSequence("documents".to_owned())
    );
}

#[test]
fn documents_nested_without_end_are_refused() {
    let nested = |depth: usize| (1..depth).fold(doc! {}, |inner, _| doc! { "a": inner });
    let bytes = |depth| {
        encode(
            Flags::default(),
            &RawDocumentBuf::try_from(&nested(depth)).unwrap(),
            &[],
        )
    };
    assert!(Message::parse(&bytes(180)).is_ok());
    assert!(matches!(Message::parse(&bytes(181)), Err(WireError::Bson(_))));
}
