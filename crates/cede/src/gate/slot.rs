//! What one session shows to the others.

use crate::sync::{AtomicU64, Ordering, Word};

/// No request is under way.
const IDLE: u64 = 0;

/// The values of a slot's word.
const GOING: u32 = 0;
const HELD: u32 = 1;

/// Written by its session, but for the word, which whoever lets it go writes too. Two cache lines, because x86
/// prefetches them in pairs.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// When the request under way began, in ns of the monotonic clock; [`IDLE`] if there is none.
    began: AtomicU64,
    /// What it is expected to need, in ns of CPU; 0 if nobody knows.
    cost: AtomicU64,
    /// The thread, if what began is not a request but whatever it does between two yield points; else 0. It may be
    /// waiting for work.
    bare_tid: AtomicU64,
    /// Requests that were timed, and how long they took from begin to finish.
    timed: AtomicU64,
    timed_ns: AtomicU64,
    /// Of requests that were looked at closely: time since they were let go, and the parts of it on a CPU and
    /// waiting for one.
    wall_ns: AtomicU64,
    cpu_ns: AtomicU64,
    delay_ns: AtomicU64,
    /// [`HELD`] while the request waits to be let go.
    word: Word,
}

/// What requests have taken so far, over one session or many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) timed: u64,
    pub(crate) timed_ns: u64,
    pub(crate) wall_ns: u64,
    pub(crate) cpu_ns: u64,
    pub(crate) delay_ns: u64,
}

impl Slot {
    pub(super) fn begin(&self, now: u64, cost: u64) {
        self.cost.store(cost, Ordering::Relaxed);
        self.bare_tid.store(0, Ordering::Relaxed);
        self.began.store(now.max(1), Ordering::Relaxed);
    }

    /// From `now` on the thread `tid` does what it does until its next yield point.
    pub(crate) fn begin_bare(&self, now: u64, tid: u32) {
        self.bare_tid.store(u64::from(tid), Ordering::Relaxed);
        self.began.store(now.max(1), Ordering::Relaxed);
    }

    /// The thread, if what is under way is not a request.
    pub(super) fn bare_tid(&self) -> Option<u32> {
        u32::try_from(self.bare_tid.load(Ordering::Relaxed))
            .ok()
            .filter(|&tid| tid != 0)
    }

    pub(super) fn finish(&self) {
        self.began.store(IDLE, Ordering::Relaxed);
    }

    /// When its request began; `None` if it has none.
    pub(crate) fn began(&self) -> Option<u64> {
        Some(self.began.load(Ordering::Relaxed)).filter(|&began| began != IDLE)
    }

    pub(crate) fn cost(&self) -> u64 {
        self.cost.load(Ordering::Relaxed)
    }

    /// Books what requests of this session took.
    pub(crate) fn book(&self, work: &Work) {
        let advance = |counter: &AtomicU64, by: u64| {
            // One writer, so no locked instruction.
            counter.store(
                counter.load(Ordering::Relaxed).wrapping_add(by),
                Ordering::Relaxed,
            );
        };
        advance(&self.timed, work.timed);
        advance(&self.timed_ns, work.timed_ns);
        advance(&self.wall_ns, work.wall_ns);
        advance(&self.cpu_ns, work.cpu_ns);
        advance(&self.delay_ns, work.delay_ns);
    }

    pub(super) fn work(&self) -> Work {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Work {
            timed: load(&self.timed),
            timed_ns: load(&self.timed_ns),
            wall_ns: load(&self.wall_ns),
            cpu_ns: load(&self.cpu_ns),
            delay_ns: load(&self.delay_ns),
        }
    }

    /// From now on its request waits to be let go.
    pub(super) fn hold(&self) {
        self.word.store(HELD, Ordering::Relaxed);
    }

    pub(super) fn is_held(&self) -> bool {
        // Acquire: what the one who let it go has seen before is seen by this thread from here on.
        self.word.load(Ordering::Acquire) == HELD
    }

    /// Lets its request go, without waking the thread.
    pub(super) fn release(&self) {
        self.word.store(GOING, Ordering::Release);
    }

    /// Blocks while it is held, until `deadline_ns` at the latest. May return early for no reason.
    pub(super) fn wait(&self, deadline_ns: u64) {
        self.word.wait(HELD, deadline_ns);
    }

    pub(super) fn wake(&self) {
        self.word.wake();
    }
}

impl Work {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            timed: self.timed.wrapping_add(other.timed),
            timed_ns: self.timed_ns.wrapping_add(other.timed_ns),
            wall_ns: self.wall_ns.wrapping_add(other.wall_ns),
            cpu_ns: self.cpu_ns.wrapping_add(other.cpu_ns),
            delay_ns: self.delay_ns.wrapping_add(other.delay_ns),
        }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            timed: self.timed.wrapping_sub(other.timed),
            timed_ns: self.timed_ns.wrapping_sub(other.timed_ns),
            wall_ns: self.wall_ns.wrapping_sub(other.wall_ns),
            cpu_ns: self.cpu_ns.wrapping_sub(other.cpu_ns),
            delay_ns: self.delay_ns.wrapping_sub(other.delay_ns),
        }
    }
}
