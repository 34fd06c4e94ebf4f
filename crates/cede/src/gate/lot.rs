//! Where requests wait to be let go, in the order in which they began.

use std::collections::VecDeque;
use std::sync::Arc;

use super::slot::Slot;
use crate::sync::{AtomicUsize, Mutex, Ordering, fence, lock, now_ns};

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

    /// Parks the calling thread, whose request began at `began`, until it is called or `deadline_ns` has come. Does
    /// not if, once it can be seen to wait, the reason to do so is gone.
    pub(super) fn park(
        &self,
        slot: &Arc<Slot>,
        began: u64,
        cost: u64,
        deadline_ns: u64,
        reason_holds: impl Fn() -> bool,
    ) {
        slot.hold();
        self.queue_up(Waiting {
            began,
            cost,
            slot: Arc::clone(slot),
        });
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

    fn queue_up(&self, waiting: Waiting) {
        let mut queue = lock(&self.queue);
        let place = queue.partition_point(|other| other.began <= waiting.began);
        queue.insert(place, waiting);
        self.parked.store(queue.len(), Ordering::Relaxed);
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
