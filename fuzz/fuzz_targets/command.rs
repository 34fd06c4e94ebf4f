//! Messages from a peer, in sequence, to a server that keeps documents in memory: every one is answered, with a
//! message that its driver can read.
#![no_main]

use std::sync::{LazyLock, Mutex, PoisonError};

use libfuzzer_sys::fuzz_target;
use scenario::{Engine, Placement, PolicyChoice, Scenario};
use testbed::{
    server::{
        ServerPlan, Services,
        catalog::Catalog,
        commands::{self, Cursors, Reply},
        storage::MemoryEngine,
    },
    wire::{FrameBuffer, Message, parse_reply},
};

/// One server for all inputs, since it owns threads; its documents are those of one input.
static SERVICES: LazyLock<Mutex<Services>> = LazyLock::new(|| {
    let plan = ServerPlan {
        scenario: Scenario {
            engine: Engine::Memory,
            background_us_per_update: 0.0,
            patrol_busy_us: 0.0,
            ..Scenario::default()
        },
        policy: PolicyChoice::None,
        placement: Placement::None,
        port: 0,
        folder: None,
    };
    Mutex::new(Services::start(&plan, |_warning| ()).expect("a server in memory starts"))
});

fuzz_target!(|stream: &[u8]| {
    let mut services = SERVICES.lock().unwrap_or_else(PoisonError::into_inner);
    services.engine = Box::new(MemoryEngine::default());
    services.catalog = Catalog::default();
    services.cursors = Cursors::default();

    let mut arriving = stream;
    let mut buffer = FrameBuffer::default();
    while !arriving.is_empty() {
        buffer.receive(&mut arriving).expect("a slice can be read");
        while let Ok(Some(frame)) = buffer.frame() {
            let frame = frame.to_vec();
            buffer.consume(frame.len());
            answer(&services, &frame);
        }
    }
});

fn answer(services: &Services, frame: &[u8]) {
    let mut out = Vec::new();
    let (header, message) = match Message::parse(frame) {
        Ok(parsed) => parsed,
        Err(error) => {
            commands::refuse(0, &error, &mut out);
            Message::parse(&out).expect("a refusal is a valid message");
            return;
        }
    };
    let handled = commands::handle(
        services,
        header,
        &message,
        &commands::Named::of(&message),
        &mut out,
    );
    if handled.reply == Reply::Unwanted {
        assert!(out.is_empty(), "nothing is said where nothing is wanted");
        return;
    }
    let document = if let Message::Query(_) = message {
        parse_reply(&out).expect("a legacy reply is valid")
    } else {
        let (reply, message) = Message::parse(&out).expect("a reply is a valid message");
        assert_eq!(reply.response_to, header.request_id);
        let Message::Msg(message) = message else {
            panic!("a command is answered by an OP_MSG");
        };
        message.body
    };
    assert!(
        document.get_f64("ok").is_ok(),
        "a reply says whether all went well"
    );
}
