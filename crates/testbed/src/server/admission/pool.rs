//! A pool of tickets with the semantics of MongoDB's: a counting semaphore without a queue.
//!
//! A thread that finds a free ticket takes it, also before others that have waited for one. The free tickets are one word, on
//! which waiters sleep while it is 0. No wake-up is lost: a waiter is counted before it looks at the word, and whoever
//! gives a ticket back looks at that count after it has changed the word. So either the waiter sees the ticket, or it
//! is seen. If another thread takes the ticket first, the waiter sleeps again, and that thread is the one to look.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use rustix::thread::futex;

use super::counters::{Counters, PoolCounts};

/// Waits end after about this time to look again, as MongoDB's do to see whether their operation was killed.
const WAIT_MS: u64 = 500;
/// They differ by up to this, in percent, so that waiters do not all look at once.
const JITTER_PERCENT: u64 = 20;

/// Tickets of one kind.
#[derive(Debug)]
pub struct TicketPool {
    available: AtomicU32,
    waiters: AtomicU32,
    total: AtomicU32,
    peak: AtomicU32,
    counters: Counters,
}

/// The right to work in the storage engine, until it is dropped.
#[derive(Debug)]
pub struct Ticket<'a> {
    pool: &'a TicketPool,
    since: Instant,
}

/// A ticket could not be had in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut;

impl TicketPool {
    /// A pool of `total` tickets.
    #[must_use]
    pub fn new(total: u32) -> Self {
        Self {
            available: AtomicU32::new(total),
            waiters: AtomicU32::default(),
            total: AtomicU32::new(total),
            peak: AtomicU32::default(),
            counters: Counters::default(),
        }
    }

    /// Takes a ticket, and waits for one if there is none.
    #[must_use]
    pub fn acquire(&self) -> Ticket<'_> {
        if !self.try_take() {
            let queued = Instant::now();
            self.counters.count_queued();
            // Without a deadline there is no end to the wait but a ticket.
            let _taken = self.wait_and_take(None);
            self.counters.count_admitted(queued.elapsed());
        }
        self.note_peak();
        self.counters.count_started();
        Ticket {
            pool: self,
            since: Instant::now(),
        }
    }

    /// Changes the number of tickets to `total`, one by one. Where there are to be fewer, it takes tickets like any other
    /// thread, and so waits for those that are in use.
    ///
    /// Only one thread may resize a pool at a time.
    ///
    /// # Errors
    /// If a ticket could not be had until `deadline`: the pool keeps the size that it has got to.
    pub fn resize(&self, total: u32, deadline: Instant) -> Result<(), TimedOut> {
        while self.total() < total {
            self.total.fetch_add(1, Ordering::Relaxed);
            self.give_back();
        }
        while self.total() > total {
            if !self.try_take() {
                self.wait_and_take(Some(deadline))?;
            }
            self.total.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// All tickets, free or not.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.total.load(Ordering::Relaxed)
    }

    /// Free tickets.
    #[must_use]
    pub fn available(&self) -> u32 {
        self.available.load(Ordering::Relaxed)
    }

    /// Tickets in use.
    #[must_use]
    pub fn used(&self) -> u32 {
        // Of two words that are read one after the other, the second can be from later.
        self.total().saturating_sub(self.available())
    }

    /// The most tickets that were in use at once since the last [`Self::take_peak`].
    #[must_use]
    pub fn peak(&self) -> u32 {
        self.peak.load(Ordering::Relaxed)
    }

    /// The same, and begins anew with those that are in use now.
    pub fn take_peak(&self) -> u32 {
        self.peak.swap(self.used(), Ordering::Relaxed)
    }

    /// What has happened so far.
    #[must_use]
    pub fn counts(&self) -> PoolCounts {
        self.counters.counts()
    }

    /// Tickets given back so far.
    #[must_use]
    pub fn finished(&self) -> u64 {
        self.counters.finished()
    }

    fn note_peak(&self) {
        let used = self.used();
        // A look first: most of the time there is nothing to write.
        if used > self.peak() {
            self.peak.fetch_max(used, Ordering::Relaxed);
        }
    }

    fn try_take(&self) -> bool {
        let take = |available: u32| available.checked_sub(1);
        self.available
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take)
            .is_ok()
    }

    fn give_back(&self) {
        self.available.fetch_add(1, Ordering::SeqCst);
        if self.waiters.load(Ordering::SeqCst) > 0 {
            // Cannot fail: the address is a valid one.
            let _woken = futex::wake(&self.available, futex::Flags::PRIVATE, 1);
        }
    }

    fn wait_and_take(&self, deadline: Option<Instant>) -> Result<(), TimedOut> {
        self.waiters.fetch_add(1, Ordering::SeqCst);
        let taken = loop {
            if self.try_take() {
                break Ok(());
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                break Err(TimedOut);
            }
            let timeout = left.map_or_else(jittered, |left| left.min(jittered()));
            let timeout = timeout.try_into().ok();
            // Whatever comes back, the next look tells whether the wait is over.
            let _woken = futex::wait(&self.available, futex::Flags::PRIVATE, 0, timeout.as_ref());
        };
        self.waiters.fetch_sub(1, Ordering::SeqCst);
        taken
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.pool.counters.count_finished(self.since.elapsed());
        self.pool.give_back();
    }
}

fn jittered() -> Duration {
    let spread = WAIT_MS * JITTER_PERCENT / 100;
    Duration::from_millis(rand::random_range(WAIT_MS - spread..=WAIT_MS + spread))
}

#[cfg(test)]
mod tests;
