//! Bytes from a peer: parsing them never panics, and what is accepted means the same after another trip.
#![no_main]

use libfuzzer_sys::fuzz_target;
use testbed::wire::{Flags, FrameBuffer, Header, Message, OpMsg, encode_msg, parse_reply};

fuzz_target!(|bytes: &[u8]| {
    let _ = parse_reply(bytes);
    if let Ok((header, Message::Msg(message))) = Message::parse(bytes) {
        survives_another_trip(header, &message);
    }
    frames_do_not_depend_on_arrival(bytes);
});

fn survives_another_trip(header: Header, message: &OpMsg<'_>) {
    for flags in [message.flags, Flags(message.flags.0 ^ Flags::CHECKSUM_PRESENT.0)] {
        let mut encoded = Vec::new();
        encode_msg(
            &mut encoded,
            header.request_id,
            header.response_to,
            flags,
            message.body,
            &message.sequences,
        );
        let (again, parsed) = Message::parse(&encoded).expect("an encoded message is valid");
        assert_eq!(again.request_id, header.request_id);
        assert_eq!(again.response_to, header.response_to);
        let expected = OpMsg {
            flags,
            ..message.clone()
        };
        assert_eq!(parsed, Message::Msg(expected));
    }
}

/// A stream gives the same messages whether it arrives at once or in pieces.
fn frames_do_not_depend_on_arrival(stream: &[u8]) {
    let whole = frames(stream, |_| usize::MAX);
    let in_pieces = frames(stream, |next| usize::from(next) + 1);
    assert_eq!(whole, in_pieces);
    assert!(
        stream.starts_with(&whole.concat()),
        "messages are the stream, cut up"
    );
}

/// The messages of `stream`, up to the first bad header. A piece is as long as `piece` makes of its first byte.
fn frames(mut stream: &[u8], piece: impl Fn(u8) -> usize) -> Vec<Vec<u8>> {
    let mut buffer = FrameBuffer::default();
    let mut frames = Vec::new();
    while let Some(&next) = stream.first() {
        let (mut arriving, later) = stream.split_at(stream.len().min(piece(next)));
        stream = later;
        while !arriving.is_empty() {
            let received = buffer.receive(&mut arriving).expect("a slice can be read");
            assert_ne!(received, 0, "there is always room to receive");
        }
        loop {
            match buffer.frame() {
                Ok(Some(frame)) => {
                    let frame = frame.to_vec();
                    buffer.consume(frame.len());
                    frames.push(frame);
                }
                Ok(None) => break,
                Err(_) => return frames,
            }
        }
    }
    frames
}
