//! Admission control in front of the storage engine, as MongoDB has it: an operation holds a ticket while it works in
//! the engine, and a controller looks for the number of tickets at which the throughput is highest.
//!
//! A ticket is taken when the request is parsed and its command is known, and given back before the reply is sent: so
//! none is held at a yield point, and none while the primitive holds a request back.

mod controller;
mod counters;
mod log;
mod pool;
mod pools;
mod probing;
mod status;

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use scenario::Admission as Algorithm;

use self::{
    controller::Controller,
    log::Log,
    probing::{Parameters, Probing},
};
pub use counters::PoolCounts;
pub use log::Monitor;
pub use pool::{Ticket, TicketPool, TimedOut};
pub use pools::{Intent, PoolPair, Pools};
pub use status::AdmissionStatus;

/// Lets operations into the storage engine.
#[derive(Debug)]
pub struct Admission {
    /// Whether operations need a ticket.
    on: AtomicBool,
    shared: Arc<Shared>,
    control: Mutex<Control>,
    cores: u32,
}

/// What the controller's thread shares with all others.
#[derive(Debug)]
struct Shared {
    pools: Pools,
    log: Mutex<Log>,
    /// Since when the log counts its time.
    started: Instant,
    warn: fn(&str),
}

/// Who sizes the pools: only the holder of the lock, and while there is a controller, only that.
#[derive(Debug)]
struct Control {
    algorithm: Algorithm,
    controller: Option<Controller>,
}

impl Admission {
    /// Admission by `algorithm` to a server that `started` on so many `cores`; `warn` is called with a line if a pool cannot
    /// be resized in time.
    ///
    /// # Errors
    /// If the controller's thread cannot be started.
    pub fn start(algorithm: Algorithm, cores: u32, started: Instant, warn: fn(&str)) -> io::Result<Self> {
        let admission = Self {
            on: AtomicBool::new(false),
            shared: Arc::new(Shared {
                pools: Pools::empty(),
                log: Mutex::default(),
                started,
                warn,
            }),
            control: Mutex::new(Control {
                algorithm: Algorithm::None,
                controller: None,
            }),
            cores,
        };
        admission.set_algorithm(algorithm)?;
        Ok(admission)
    }

    /// Goes on by `algorithm`, while operations run: those that are in the engine keep their tickets, or go on without. A
    /// controller begins anew. Waits while tickets are in use that are to be taken away.
    ///
    /// # Errors
    /// If the controller's thread cannot be started: the pools keep the size that they have.
    pub fn set_algorithm(&self, algorithm: Algorithm) -> io::Result<()> {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        // Waits for the end of its thread.
        control.controller = None;
        control.algorithm = algorithm;
        match algorithm {
            // The pools stay as they are, since threads may be waiting for a ticket.
            Algorithm::None => {}
            Algorithm::Fixed(tickets) => self.shared.resize(PoolPair::both(tickets.max(1))),
            Algorithm::Probing => {
                let probing = Probing::new(Parameters::default(), self.cores);
                self.shared.resize(probing.stable_sizes());
                control.controller = Some(Controller::start(Arc::clone(&self.shared), probing)?);
            }
        }
        self.on.store(algorithm != Algorithm::None, Ordering::Relaxed);
        Ok(())
    }

    /// How the pools are sized.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.control
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .algorithm
    }

    /// Waits for a ticket; none is needed where there is no admission control.
    #[must_use]
    pub fn admit(&self, intent: Intent) -> Option<Ticket<'_>> {
        self.on
            .load(Ordering::Relaxed)
            .then(|| self.shared.pools.of(intent).acquire())
    }

    /// The tickets; pools without any if there never was admission control.
    #[must_use]
    pub fn pools(&self) -> &Pools {
        &self.shared.pools
    }

    /// What the controller has done so far.
    #[must_use]
    pub fn monitor(&self) -> Monitor {
        self.shared.log().monitor()
    }

    /// What the outcome of a run is made of; none where there is no admission control.
    #[must_use]
    pub fn status(&self) -> Option<AdmissionStatus> {
        let on = self.on.load(Ordering::Relaxed);
        on.then(|| AdmissionStatus::of(&self.shared.pools, &self.shared.log()))
    }
}

#[cfg(test)]
mod tests;
