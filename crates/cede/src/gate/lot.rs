//! Where requests wait to be let go, in the order in which they began.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::slot::Slot;
use crate::nanos::nanos;
use crate::sync::{AtomicUsize, Mutex, Ordering, fence, lock, now_ns};

/// The park of a request gets longer with every so many that are before it, so that a thousand who wait do not wake up a
/// thousand times per millisecond;
const ROW: usize = 8;
/// but no longer than this.
const LONGEST: Duration = Duration::from_millis(100);

/// Parked requests.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Lot {
    /// The length of the queue, to be read without its lock.
    parked: AtomicUsize,
    queue: Mutex<VecDeque<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    began: u64,
    cost: u64,
    slot: Arc<Slot>,
}

impl Lot {
    /// How many wait. Callers that must not miss one put a `SeqCst` fence before.
    pub(super) fn parked(&self) -> usize {
        self.parked.load(Ordering::Relaxed)
    }

    /// Parks the calling thread, whose request began at `began`, until it is called, or for `longest`, in the first row.
    /// Does not if, once it can be seen to wait, the reason to do so is gone.
    pub(super) fn park(
        &self,
        slot: &Arc<Slot>,
        began: u64,
        cost: u64,
        longest: Duration,
        reason_holds: impl Fn() -> bool,
    ) {
        slot.hold();
        let place = self.queue_up(Waiting {
            began,
            cost,
            slot: Arc::clone(slot),
        });
        let rows = u32::try_from(place / ROW).map_or(u32::MAX, |rows| rows.saturating_add(1));
        let longest = longest.saturating_mul(rows).min(LONGEST);
        let deadline_ns = now_ns() + nanos(longest);
        // The other half of this is in `Gate::finish`.
        fence(Ordering::SeqCst);
        if reason_holds() {
            while slot.is_held() && now_ns() < deadline_ns {
                slot.wait(deadline_ns);
            }
        }
        if slot.is_held() {
            self.give_up(slot);
        }
    }

    /// Gives how many are before it.
    fn queue_up(&self, waiting: Waiting) -> usize {
        let mut queue = lock(&self.queue);
        let place = queue.partition_point(|other| other.began <= waiting.began);
        queue.insert(place, waiting);
        self.parked.store(queue.len(), Ordering::Relaxed);
        place
    }

    /// Takes a request out that nobody has called. It may be called at the same moment: then it is gone already.
    fn give_up(&self, slot: &Arc<Slot>) {
        let mut queue = lock(&self.queue);
        queue.retain(|waiting| !Arc::ptr_eq(&waiting.slot, slot));
        self.parked.store(queue.len(), Ordering::Relaxed);
        slot.release();
    }

    /// When the one that is next began, and what it is expected to need.
    pub(super) fn front(&self) -> Option<(u64, u64)> {
        lock(&self.queue)
            .front()
            .map(|waiting| (waiting.began, waiting.cost))
    }

    /// Lets the next one go, if there is one, and gives its slot: its thread has yet to be woken.
    #[must_use]
    pub(super) fn call(&self) -> Option<Arc<Slot>> {
        let mut queue = lock(&self.queue);
        let waiting = queue.pop_front()?;
        self.parked.store(queue.len(), Ordering::Relaxed);
        // Under the lock, so that it is either queued and held or neither.
        waiting.slot.release();
        Some(waiting.slot)
    }
}
