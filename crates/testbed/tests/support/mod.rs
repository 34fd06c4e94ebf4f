//! Servers without sockets: commands go in as messages, and replies come out.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a module of several test files, each of which uses a part of it"
)]

use bson::{Document, RawDocumentBuf, doc};
use scenario::{Engine, Placement, PolicyChoice, Scenario};
use testbed::{
    server::{
        ServerPlan, Services,
        commands::{self, Named},
    },
    wire::{Flags, Message, encode_msg},
};

/// A server for each engine that keeps documents.
pub fn servers() -> impl Iterator<Item = Services> {
    [Engine::Memory, Engine::Fjall].into_iter().map(server)
}

pub fn server(engine: Engine) -> Services {
    let plan = ServerPlan {
        scenario: Scenario {
            engine,
            background_us_per_update: 0.0,
            patrol_busy_us: 0.0,
            ..Scenario::default()
        },
        policy: PolicyChoice::None,
        placement: Placement::None,
        port: 0,
        folder: None,
    };
    Services::start(&plan, |line| panic!("{line}")).unwrap()
}

/// Asks a server.
pub trait Asking {
    fn ask(&self, command: Document) -> Document;

    /// Asks what has to be answered well.
    fn ok(&self, command: Document) -> Document {
        let reply = self.ask(command.clone());
        assert_eq!(reply.get("ok"), Some(&1.0.into()), "{command}: {reply}");
        reply
    }

    /// Asks what has to be refused with `code`.
    fn error(&self, command: Document, code: i32) -> Document {
        let reply = self.ask(command.clone());
        assert_eq!(reply.get("ok"), Some(&0.0.into()), "{command}: {reply}");
        assert_eq!(reply.get_i32("code").ok(), Some(code), "{command}: {reply}");
        reply
    }

    /// The one document of `d.c` that matches.
    fn one(&self, filter: Document) -> Document {
        let mut found = first_batch(&self.ok(doc! { "find": "c", "filter": filter, "$db": "d" }));
        assert_eq!(found.len(), 1);
        found.remove(0)
    }
}

impl Asking for Services {
    fn ask(&self, command: Document) -> Document {
        let body = RawDocumentBuf::try_from(&command).unwrap();
        let mut request = Vec::new();
        encode_msg(&mut request, 1, 0, Flags::default(), &body, &[]);
        let (header, message) = Message::parse(&request).unwrap();
        let mut reply = Vec::new();
        commands::handle(self, header, &message, &Named::of(&message), &mut reply);
        let (_, Message::Msg(reply)) = Message::parse(&reply).unwrap() else {
            panic!("no OP_MSG")
        };
        Document::try_from(reply.body).unwrap()
    }
}

/// The documents of a reply with a cursor.
pub fn first_batch(reply: &Document) -> Vec<Document> {
    let cursor = reply.get_document("cursor").unwrap();
    let batch = cursor
        .get_array("firstBatch")
        .or_else(|_| cursor.get_array("nextBatch"))
        .unwrap();
    batch
        .iter()
        .map(|document| document.as_document().unwrap().clone())
        .collect()
}

/// Their `_id`s.
pub fn ids(reply: &Document) -> Vec<i32> {
    first_batch(reply)
        .iter()
        .map(|document| document.get_i32("_id").unwrap())
        .collect()
}

/// What a write command says of its first statement that failed.
pub fn write_error(reply: &Document) -> Document {
    reply.get_array("writeErrors").unwrap()[0]
        .as_document()
        .unwrap()
        .clone()
}
