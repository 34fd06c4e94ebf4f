//! Threads that wait in loops and cannot afford yields hand the CPU to each other.

use std::collections::VecDeque;
use std::hint;
use std::sync::Arc;

use super::price::Prices;
use crate::sync::{AtomicUsize, Mutex, Ordering, Word, lock};
use crate::sys;

/// The values of a seat's word.
const GOING: u32 = 0;
const PARKED: u32 = 1;

/// Where one thread waits for its turn to look.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Seat {
    word: Word,
}

/// A thread that was woken and has not come back for so long is gone. Before that, it may be at work on what all the others
/// wait for.
const GONE_NS: u64 = 1_000_000_000;

/// Those that take turns.
///
/// Whoever comes to a yield point may have changed what somebody else waits for, so it wakes the one that has been parked
/// for longest before it parks itself. Of threads that do nothing but wait, one is awake at any time, and each looks in
/// turn.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Ring {
    /// How many are parked, to be read without the lock.
    parked: AtomicUsize,
    turns: Mutex<Turns>,
    pub(super) prices: Prices,
}

#[derive(Debug, Default)]
struct Turns {
    /// The longest first.
    parked: VecDeque<Arc<Seat>>,
    /// Those that have been parked before, and since when they are not.
    awake: Vec<(Arc<Seat>, u64)>,
}

impl Turns {
    /// Takes the next one out.
    fn next(&mut self, now: u64) -> Option<Arc<Seat>> {
        let next = self.parked.pop_front()?;
        // Under the lock, so that a thread is either queued and parked or neither.
        next.word.store(GOING, Ordering::Release);
        self.awake.push((Arc::clone(&next), now));
        Some(next)
    }

    fn forget(&mut self, seat: &Arc<Seat>) {
        self.awake.retain(|(other, _)| !Arc::ptr_eq(other, seat));
    }
}

impl Ring {
    /// Wakes the one that has been parked for longest, if there is one.
    pub(crate) fn wake_one(&self, now: u64) {
        // Relaxed: one that parks at this moment is woken by the next call, or by its deadline.
        if self.parked.load(Ordering::Relaxed) > 0 {
            let mut turns = lock(&self.turns);
            let next = turns.next(now);
            self.parked.store(turns.parked.len(), Ordering::Relaxed);
            drop(turns);
            wake(next);
        }
    }

    /// Parks the calling thread from `now` on, until somebody wakes it or `deadline_ns` has come. If all others are
    /// parked, it wakes the next one before. Gives whether it was woken.
    pub(crate) fn hand_on(&self, seat: &Arc<Seat>, now: u64, deadline_ns: u64) -> bool {
        seat.word.store(PARKED, Ordering::Relaxed);
        let mut turns = lock(&self.turns);
        turns
            .awake
            .retain(|(other, since)| !Arc::ptr_eq(other, seat) && now.saturating_sub(*since) < GONE_NS);
        // One that is at work needs its CPU more than those that wait.
        let next = if turns.awake.is_empty() {
            turns.next(now)
        } else {
            None
        };
        turns.parked.push_back(Arc::clone(seat));
        self.parked.store(turns.parked.len(), Ordering::Relaxed);
        drop(turns);
        wake(next);
        // A signal may end it early. Then the thread looks early.
        seat.word.wait(PARKED, deadline_ns);
        seat.word.load(Ordering::Acquire) == GOING || self.get_up(seat)
    }

    /// Whether the thread was woken at the last moment. If not, it is parked no more.
    fn get_up(&self, seat: &Arc<Seat>) -> bool {
        let mut turns = lock(&self.turns);
        let before = turns.parked.len();
        turns.parked.retain(|other| !Arc::ptr_eq(other, seat));
        let woken = turns.parked.len() == before;
        if !woken {
            turns.awake.push((Arc::clone(seat), sys::monotonic_ns()));
        }
        self.parked.store(turns.parked.len(), Ordering::Relaxed);
        woken
    }

    /// The thread of this seat ends.
    pub(crate) fn leave(&self, seat: &Arc<Seat>) {
        lock(&self.turns).forget(seat);
    }
}

fn wake(next: Option<Arc<Seat>>) {
    if let Some(next) = next {
        next.word.wake();
        // For a moment, the other CPU. In QEMU's deterministic mode, where CPUs take turns, this ends the turn of a CPU
        // that would go on with something else while the thread that was woken waits for its own.
        hint::spin_loop();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn parked(ring: &Ring, number: usize) {
        while ring.parked.load(Ordering::Relaxed) < number {
            thread::sleep(Duration::from_micros(100));
        }
    }

    #[test]
    fn nobody_waits_past_his_deadline() {
        let (ring, seat) = (Ring::default(), Arc::default());
        let now = sys::monotonic_ns();
        assert!(!ring.hand_on(&seat, now, now));
        assert_eq!(ring.parked.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_one_that_has_waited_for_longest_is_woken_first() {
        const NEVER: u64 = u64::MAX / 2;

        let ring = Ring::default();
        let order = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for number in 0..3 {
                let (ring, order) = (&ring, &order);
                scope.spawn(move || {
                    let seat = Arc::default();
                    // Somebody is awake: so it wakes nobody when it parks.
                    assert!(ring.hand_on(&seat, sys::monotonic_ns(), NEVER));
                    lock(order).push(number);
                    ring.leave(&seat);
                });
                parked(ring, number + 1);
                if number == 0 {
                    lock(&ring.turns)
                        .awake
                        .push((Arc::default(), sys::monotonic_ns()));
                }
            }
            for number in 0..3 {
                ring.wake_one(sys::monotonic_ns());
                while lock(&order).len() <= number {
                    thread::sleep(Duration::from_micros(100));
                }
            }
        });
        assert_eq!(*lock(&order), [0, 1, 2]);
    }
}
