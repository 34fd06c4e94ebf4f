use std::{
    collections::HashMap,
    io,
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use rustix::net::sockopt;
use thiserror::Error;

use super::session::SessionWorkflow;
use crate::server::Services;

/// Stack of a connection thread: documents nest at most 180 deep, which takes a fraction of it.
const STACK_BYTES: usize = 512 * 1024;
/// Pause after an accept that failed for lack of descriptors or memory, so that the loop does not spin on it.
const ACCEPT_RETRY: Duration = Duration::from_millis(10);
/// What a peer may still send after its connection was refused, so that closing does not reset it before it has read why.
const LINGER_READ: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 1 << 20;

/// Why the server cannot listen.
#[derive(Debug, Error)]
pub enum ListenError {
    /// The port is in use.
    #[error("port {0} is taken: expected a free port, or 0 for any")]
    PortTaken(u16),
    /// The port is reserved.
    #[error("port {0} may not be used by this user: expected one above 1023, or 0 for any")]
    PortDenied(u16),
    /// Another error of the system.
    #[error("cannot listen on port {port}: {source}")]
    System {
        /// The port.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
}

/// Accepts connections on loopback and gives each its own thread. Dropping it closes them all.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    socket: Arc<TcpListener>,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    stopping: AtomicBool,
    accepted: AtomicU64,
    open: Mutex<HashMap<u64, Connection>>,
}

#[derive(Debug)]
struct Connection {
    stream: Arc<TcpStream>,
    /// Unknown for the moment in which the thread starts.
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Listens on `port` of the loopback address, 0 for any free one.
    ///
    /// # Errors
    /// If the port is taken or may not be used.
    pub fn start(port: u16, services: Arc<Services>) -> Result<Self, ListenError> {
        let system = |source| ListenError::System { port, source };
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|source| match source.kind() {
                io::ErrorKind::AddrInUse => ListenError::PortTaken(port),
                io::ErrorKind::PermissionDenied => ListenError::PortDenied(port),
                _ => system(source),
            })?;
        // The standard library asks for a queue of 128; a thousand clients may connect at once.
        rustix::net::listen(&listener, 4096).map_err(|errno| system(errno.into()))?;
        let address = listener.local_addr().map_err(system)?;
        let socket = Arc::new(listener);
        let shared = Arc::new(Shared::default());
        let accepting = std::thread::Builder::new()
            .name("listener".into())
            .spawn({
                let (shared, socket) = (Arc::clone(&shared), Arc::clone(&socket));
                move || shared.accept_all(&socket, &services)
            })
            .map_err(system)?;
        Ok(Self {
            address,
            socket,
            shared,
            accepting: Some(accepting),
        })
    }

    /// Where the server listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the accept, and needs no descriptor, unlike a connection to it: there may be none left. Linux ends the
        // accepts of a socket that stops listening (inet_shutdown() in net/ipv4/af_inet.c, since before 2.6.12).
        let _not_listening = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Read);
        if let Some(accepting) = self.accepting.take() {
            let _ended = accepting.join();
        }
        let open: Vec<_> = self
            .shared
            .locked(|open| open.drain().map(|(_, connection)| connection).collect());
        for connection in &open {
            let _closed = connection.stream.shutdown(Shutdown::Both);
        }
        for thread in open.into_iter().filter_map(|connection| connection.thread) {
            let _ended = thread.join();
        }
    }
}

impl Shared {
    fn locked<T>(&self, with: impl FnOnce(&mut HashMap<u64, Connection>) -> T) -> T {
        with(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn accept_all(self: &Arc<Self>, listener: &TcpListener, services: &Arc<Services>) {
        let mut reported = false;
        loop {
            let accepted = listener.accept();
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            let served = accepted.and_then(|(stream, _)| self.serve(stream, services));
            if let Err(error) = served {
                // Once: at the limit of descriptors this happens for every client.
                if !std::mem::replace(&mut reported, true) {
                    services.warn(&format!("a connection could not be served: {error}"));
                }
                std::thread::sleep(ACCEPT_RETRY);
            }
        }
    }

    fn serve(self: &Arc<Self>, stream: TcpStream, services: &Arc<Services>) -> io::Result<()> {
        stream.set_nodelay(true)?;
        // A peer whose host has vanished is noticed in the end.
        sockopt::set_socket_keepalive(&stream, true)?;
        let stream = Arc::new(stream);
        let id = self.accepted.fetch_add(1, Ordering::Relaxed);
        self.locked(|open| {
            open.insert(
                id,
                Connection {
                    stream: Arc::clone(&stream),
                    thread: None,
                },
            )
        });
        let thread = std::thread::Builder::new()
            .name("conn".into())
            .stack_size(STACK_BYTES)
            .spawn({
                let (shared, services) = (Arc::clone(self), Arc::clone(services));
                move || {
                    let mut stream: &TcpStream = SessionWorkflow::new(stream.as_ref(), &services).run();
                    linger(&mut stream);
                    // First: a thread that is not in the list any more is not waited for, and must hold nothing that the
                    // end of the server has to close.
                    drop(services);
                    shared.locked(|open| open.remove(&id));
                }
            });
        match thread {
            Ok(thread) => {
                self.locked(|open| {
                    // Already gone if the connection was that short.
                    if let Some(connection) = open.get_mut(&id) {
                        connection.thread = Some(thread);
                    }
                });
                Ok(())
            }
            Err(error) => {
                self.locked(|open| open.remove(&id));
                Err(error)
            }
        }
    }
}

/// Lets a refused peer read its error: closing a socket with unread bytes would reset the connection.
fn linger(stream: &mut &TcpStream) {
    let _gone = stream.shutdown(Shutdown::Write);
    let _refused = stream.set_read_timeout(Some(LINGER_READ));
    let _copied = io::copy(&mut io::Read::take(stream, LINGER_BYTES as u64), &mut io::sink());
}
