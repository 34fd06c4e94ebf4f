//! A wait that learns whether yields pay, after `WriteThread::AwaitState` of `RocksDB` (`db/write_thread.cc`), which
//! describes it in its comments: spin for about a microsecond; then, if yields have been worth it, yield for at most
//! 100 us and stop at the third yield that was slow; then block. A model in own words, not a port.

use std::hint;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::yield_point::yield_now;

/// About 1 us of pause instructions there.
const SPINS: u32 = 200;
/// Defaults of the options `write_thread_max_yield_usec` and `write_thread_slow_yield_usec`.
const LONGEST_YIELDING: Duration = Duration::from_micros(100);
const SLOW_YIELD: Duration = Duration::from_micros(3);
/// The third slow yield in one wait ends the yielding.
const MOST_SLOW_YIELDS: u32 = 3;
/// One wait in so many is made by yielding whatever is believed, to learn.
const SAMPLED: u32 = 256;
/// The credit of yields fades by one part in so many with each lesson, which adds or takes a fixed amount.
const INERTIA: i32 = 1024;
const LESSON: i32 = 1 << 17;

/// Whether yields have been worth it: shared by all that wait at one place.
#[derive(Debug, Default)]
pub(crate) struct Credit {
    value: AtomicI32,
    waits: AtomicU32,
}

/// A number that one thread waits for.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    number: AtomicU32,
    blocked: Mutex<bool>,
    changed: Condvar,
}

impl Turn {
    pub(crate) fn get(&self) -> u32 {
        self.number.load(Ordering::Acquire)
    }

    /// Sets the number and wakes who blocks.
    pub(crate) fn set(&self, number: u32) {
        self.number.store(number, Ordering::SeqCst);
        let blocked = self.blocked.lock().unwrap();
        if *blocked {
            self.changed.notify_all();
        }
    }

    /// Blocks until `done` finds the number it waits for.
    pub(crate) fn block(&self, done: impl Fn(u32) -> bool) {
        let mut blocked = self.blocked.lock().unwrap();
        *blocked = true;
        while !done(self.number.load(Ordering::SeqCst)) {
            blocked = self.changed.wait(blocked).unwrap();
        }
        *blocked = false;
    }

    /// Waits until `done` finds the number it waits for.
    pub(crate) fn wait(&self, credit: &Credit, done: impl Fn(u32) -> bool) {
        for _ in 0..SPINS {
            if done(self.get()) {
                return;
            }
            hint::spin_loop();
        }
        let mut learns = credit
            .waits
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(SAMPLED);
        let mut came = false;
        if learns || credit.value.load(Ordering::Relaxed) >= 0 {
            let (start, mut slow) = (Instant::now(), 0);
            let mut before = start;
            while before - start <= LONGEST_YIELDING {
                yield_now();
                if done(self.get()) {
                    came = true;
                    break;
                }
                let now = Instant::now();
                slow += u32::from(now == before || now - before >= SLOW_YIELD);
                if slow >= MOST_SLOW_YIELDS {
                    learns = true;
                    break;
                }
                before = now;
            }
        }
        if !came {
            self.block(done);
        }
        if learns {
            let value = credit.value.load(Ordering::Relaxed);
            let lesson = if came { LESSON } else { -LESSON };
            credit
                .value
                .store(value - value / INERTIA + lesson, Ordering::Relaxed);
        }
    }
}
