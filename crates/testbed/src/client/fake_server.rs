//! A server for tests: it keeps nothing but the keys, and misbehaves on demand.

use std::{
    collections::HashSet,
    io::Write,
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use bson::{Binary, RawDocumentBuf, rawdoc, spec::BinarySubtype};

use crate::wire::{Flags, FrameBuffer, Message, OpMsg, encode_msg};

/// How to answer one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// As a sound server does.
    Well,
    /// Well, after this pause of the one connection.
    Late(Duration),
    /// Well, after this pause of all connections.
    AfterStall(Duration),
    /// `ok: 0`.
    Refusal,
    /// `ok: 0`, and the code of a command that is not known.
    Unknown,
    /// The document was not there.
    NothingFound,
    /// A reply to another request.
    WrongNumber,
    /// Bytes that are no message.
    Garbage,
    /// Not at all.
    Never,
    /// By closing the connection.
    Disconnect,
    /// By closing all connections, and taking no new ones.
    Vanish,
}

/// A command that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) connection: u64,
    pub(super) command: String,
    /// The key that was read or updated.
    pub(super) key: String,
    /// How many commands of this name came before it.
    pub(super) earlier: usize,
}

impl Seen {
    pub(super) fn is_operation(&self) -> bool {
        self.command == "find" || self.command == "update"
    }
}

type Behaviour = dyn Fn(&Seen) -> Answer + Send + Sync;

pub(super) struct FakeServer {
    pub(super) address: SocketAddr,
    pub(super) state: Arc<State>,
}

pub(super) struct State {
    behaviour: Box<Behaviour>,
    pub(super) seen: Mutex<Vec<Seen>>,
    pub(super) answered: AtomicU64,
    /// Messages that came before the last one was answered.
    pub(super) overlaps: AtomicU64,
    /// The longest pause of all connections, in ns.
    pub(super) stalled_ns: AtomicU64,
    pub(super) keys: Mutex<HashSet<String>>,
    gate: RwLock<()>,
    streams: Mutex<Vec<TcpStream>>,
    gone: AtomicBool,
}

impl FakeServer {
    pub(super) fn start(behaviour: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            behaviour: Box::new(behaviour),
            seen: Mutex::default(),
            answered: AtomicU64::new(0),
            overlaps: AtomicU64::new(0),
            stalled_ns: AtomicU64::new(0),
            keys: Mutex::default(),
            gate: RwLock::default(),
            streams: Mutex::default(),
            gone: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&state);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                if accepting.gone.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                stream.set_nodelay(true).unwrap();
                accepting
                    .streams
                    .lock()
                    .unwrap()
                    .push(stream.try_clone().unwrap());
                let state = Arc::clone(&accepting);
                thread::Builder::new()
                    .stack_size(256 * 1024)
                    .spawn(move || state.serve(stream, number as u64))
                    .unwrap();
            }
        });
        Self { address, state }
    }

    /// What arrived of reads and updates, in order.
    pub(super) fn operations(&self) -> Vec<Seen> {
        let seen = self.state.seen.lock().unwrap();
        seen.iter().filter(|seen| seen.is_operation()).cloned().collect()
    }

    pub(super) fn count_of(&self, command: &str) -> usize {
        self.state
            .seen
            .lock()
            .unwrap()
            .iter()
            .filter(|seen| seen.command == command)
            .count()
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.state.vanish();
        // Wakes the thread that accepts.
        let _refused = TcpStream::connect(self.address);
    }
}

impl State {
    fn vanish(&self) {
        self.gone.store(true, Ordering::SeqCst);
        for stream in self.streams.lock().unwrap().drain(..) {
            let _gone = stream.shutdown(Shutdown::Both);
        }
    }

    fn serve(&self, mut stream: TcpStream, connection: u64) {
        let mut buffer = FrameBuffer::default();
        loop {
            let Ok(Some(frame)) = buffer.frame() else {
                match buffer.receive(&mut stream) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => continue,
                }
            };
            let (header, message) = Message::parse(frame).unwrap();
            let Message::Msg(message) = message else {
                panic!("a legacy message");
            };
            let length = frame.len();
            let seen = self.note(&message, connection);
            let (reply, goes_on) = self.answer(&seen, header.request_id, &message);
            buffer.consume(length);
            if !buffer.is_empty() {
                self.overlaps.fetch_add(1, Ordering::SeqCst);
            }
            if seen.is_operation() {
                self.answered.fetch_add(1, Ordering::SeqCst);
            }
            if stream.write_all(&reply).is_err() || !goes_on {
                let _gone = stream.shutdown(Shutdown::Both);
                return;
            }
        }
    }

    fn note(&self, message: &OpMsg<'_>, connection: u64) -> Seen {
        let (command, _) = message.body.iter().next().unwrap().unwrap();
        let command = command.as_str().to_owned();
        let key = match command.as_str() {
            "find" => message
                .body
                .get_document("filter")
                .unwrap()
                .get_str("_id")
                .unwrap(),
            "update" => {
                let update = message.sequence("updates").unwrap()[0];
                update.get_document("q").unwrap().get_str("_id").unwrap()
            }
            _ => "",
        };
        let mut all = self.seen.lock().unwrap();
        let earlier = match command.as_str() {
            "find" | "update" => all.iter().filter(|seen| seen.is_operation()).count(),
            other => all.iter().filter(|seen| seen.command == other).count(),
        };
        let seen = Seen {
            connection,
            key: key.to_owned(),
            command,
            earlier,
        };
        all.push(seen.clone());
        seen
    }

    /// The bytes to send, and whether the connection goes on.
    fn answer(&self, seen: &Seen, request_id: i32, message: &OpMsg<'_>) -> (Vec<u8>, bool) {
        let reply = |body: &RawDocumentBuf, to: i32| {
            let mut out = Vec::new();
            encode_msg(&mut out, 1, to, Flags::default(), body, &[]);
            out
        };
        let answer = (self.behaviour)(seen);
        match answer {
            Answer::AfterStall(pause) => {
                let _closed = self.gate.write().unwrap();
                let begin = Instant::now();
                thread::sleep(pause);
                let stalled_ns = u64::try_from(begin.elapsed().as_nanos()).unwrap();
                self.stalled_ns.fetch_max(stalled_ns, Ordering::SeqCst);
            }
            Answer::Late(pause) => thread::sleep(pause),
            _ => drop(self.gate.read().unwrap()),
        }
        let failure = rawdoc! { "ok": 0.0, "errmsg": "as planned", "codeName": "Planned", "code": 1 };
        let unknown = rawdoc! { "ok": 0.0, "errmsg": "what?", "codeName": "CommandNotFound", "code": 59 };
        match answer {
            Answer::Well | Answer::Late(_) | Answer::AfterStall(_) => {
                (reply(&self.sound_reply(seen, message), request_id), true)
            }
            Answer::Refusal => (reply(&failure, request_id), true),
            Answer::Unknown => (reply(&unknown, request_id), true),
            Answer::NothingFound => {
                let nothing = rawdoc! { "ok": 1.0, "n": 0, "cursor": { "firstBatch": [], "id": 0_i64 } };
                (reply(&nothing, request_id), true)
            }
            Answer::WrongNumber => (reply(&self.sound_reply(seen, message), request_id + 1000), true),
            Answer::Garbage => (vec![3; 64], true),
            Answer::Never => (Vec::new(), true),
            Answer::Disconnect => (Vec::new(), false),
            Answer::Vanish => {
                self.vanish();
                (Vec::new(), false)
            }
        }
    }

    fn sound_reply(&self, seen: &Seen, message: &OpMsg<'_>) -> RawDocumentBuf {
        match seen.command.as_str() {
            "hello" => rawdoc! { "isWritablePrimary": true, "maxWireVersion": 21, "ok": 1.0 },
            "find" => {
                let (subtype, bytes) = (BinarySubtype::Generic, vec![b'v'; 1000]);
                let document = rawdoc! { "_id": seen.key.as_str(), "fields": Binary { subtype, bytes } };
                rawdoc! { "cursor": { "firstBatch": [document], "id": 0_i64, "ns": "ycsb.usertable" }, "ok": 1.0 }
            }
            "update" => rawdoc! { "n": 1, "nModified": 1, "ok": 1.0 },
            "serverStatus" => {
                rawdoc! { "requests": i64::try_from(self.seen.lock().unwrap().len()).unwrap(), "ok": 1.0 }
            }
            "count" => rawdoc! { "n": i32::try_from(self.keys.lock().unwrap().len()).unwrap(), "ok": 1.0 },
            "drop" => {
                let mut keys = self.keys.lock().unwrap();
                if keys.is_empty() {
                    return rawdoc! { "ok": 0.0, "errmsg": "ns not found", "code": 26 };
                }
                keys.clear();
                rawdoc! { "ok": 1.0 }
            }
            "insert" => {
                let documents = message.sequence("documents").unwrap();
                let mut keys = self.keys.lock().unwrap();
                let new = documents
                    .iter()
                    .filter(|document| keys.insert(document.get_str("_id").unwrap().to_owned()))
                    .count();
                rawdoc! { "n": i32::try_from(new).unwrap(), "ok": 1.0 }
            }
            other => panic!("unknown command {other}"),
        }
    }
}
