use std::time::Instant;

use super::pool::{TicketPool, TimedOut};

/// What an operation is about to do in the storage engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Read documents.
    Read,
    /// Change them.
    Write,
}

/// The two pools.
#[derive(Debug)]
pub struct Pools {
    /// For those that read.
    pub read: TicketPool,
    /// For those that write.
    pub write: TicketPool,
}

/// A number of tickets in each pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolPair {
    /// In the pool for reads.
    pub read: u32,
    /// In the pool for writes.
    pub write: u32,
}

impl PoolPair {
    /// The same number in both.
    #[must_use]
    pub fn both(tickets: u32) -> Self {
        Self {
            read: tickets,
            write: tickets,
        }
    }

    /// In both together.
    #[must_use]
    pub fn sum(self) -> u32 {
        self.read + self.write
    }
}

impl Pools {
    /// Two pools without tickets.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            read: TicketPool::new(0),
            write: TicketPool::new(0),
        }
    }

    /// The pool for operations that are about to do this.
    #[must_use]
    pub fn of(&self, intent: Intent) -> &TicketPool {
        match intent {
            Intent::Read => &self.read,
            Intent::Write => &self.write,
        }
    }

    /// The number of tickets, free or not.
    #[must_use]
    pub fn sizes(&self) -> PoolPair {
        self.each(TicketPool::total)
    }

    /// What `of` says of each.
    #[must_use]
    pub fn each(&self, of: impl Fn(&TicketPool) -> u32) -> PoolPair {
        PoolPair {
            read: of(&self.read),
            write: of(&self.write),
        }
    }

    /// Tickets given back so far, of both pools.
    #[must_use]
    pub fn finished(&self) -> u64 {
        self.read.finished() + self.write.finished()
    }

    /// Resizes one pool after the other; see [`TicketPool::resize`].
    ///
    /// # Errors
    /// If a ticket of either could not be had in time.
    pub fn resize(&self, sizes: PoolPair, deadline: Instant) -> Result<(), TimedOut> {
        let read = self.read.resize(sizes.read, deadline);
        let write = self.write.resize(sizes.write, deadline);
        read.and(write)
    }
}
