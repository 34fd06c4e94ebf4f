//! Holds requests back before they begin, while others have waited too long, and lets them go again.
//!
//! The [README](https://docs.rs/crate/cede/latest/source/src/gate/README.md) in the directory of the same name names the
//! states and argues why no wake-up is lost. The policy decides; this is the one piece of code that parks and wakes.

mod bare;
mod lot;
mod slot;
mod watch;

#[cfg(all(test, loom))]
mod models;

use std::sync::Arc;
use std::time::Duration;

use self::lot::Lot;
pub(crate) use self::slot::{Slot, Work};
use self::watch::Watch;
use crate::observation::Observation;
use crate::policy::Policy;
use crate::sync::{AtomicU64, Mutex, Ordering, fence, lock, now_ns, try_lock};

/// After this time, or that part of the mean, a parked thread looks by itself whether it still has to wait, and after longer if
/// many are before it. A park is bounded, whatever happens to those that should end it.
const LONGEST_PARK: Duration = Duration::from_millis(1);
const PARK_PART: u32 = 16;

/// The default slice where the kernel has none or does not tell: what CFS leaves a thread at least with 8 CPUs or more.
const UNTOLD_SLICE_NS: u64 = 3_000_000;

/// No request is held back longer than this altogether, whatever the policy says.
const LONGEST_HOLD_NS: u64 = 1_000_000_000;

/// What sessions see of each other.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// Read by every request, written by few.
    shared: Shared,
    lot: Lot,
    watch: Mutex<Watch>,
}

#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Shared {
    /// Until this time nobody can be overdue: the oldest request that is known began so late, and all others later.
    clear_until_ns: AtomicU64,
    /// How old the oldest request was at the last look, in times of the patience.
    alarm: AtomicU64,
    /// Thousandths of a CPU that the process may use.
    milli_cpus: AtomicU64,
    /// The kernel's default slice; 0 if it does not tell.
    slice_ns: AtomicU64,
}

impl Shared {
    /// Nobody can be found to be overdue before that time, because nobody looks: requests need not try. For those who
    /// have the lock of the watch.
    fn clear_at_least_until(&self, time_ns: u64) {
        if self.clear_until_ns.load(Ordering::Relaxed) < time_ns {
            self.clear_until_ns.store(time_ns, Ordering::Relaxed);
        }
    }

    fn slice_ns(&self) -> u64 {
        match self.slice_ns.load(Ordering::Relaxed) {
            0 => UNTOLD_SLICE_NS,
            told => told,
        }
    }
}

/// How a request was held back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hold {
    pub(crate) parks: u64,
    pub(crate) parked_ns: u64,
}

impl Gate {
    /// Adds a session.
    pub(crate) fn enter(&self) -> Arc<Slot> {
        let slot = Arc::new(Slot::default());
        lock(&self.watch).enter(&slot);
        slot
    }

    /// Takes a session out. It must have no request under way.
    pub(crate) fn leave(&self, slot: &Arc<Slot>) {
        lock(&self.watch).leave(slot);
    }

    /// Begins a request: at once, or when the policy no longer wants to hold it back. Gives the time and, if it was
    /// held, for how long.
    pub(crate) fn begin(&self, slot: &Arc<Slot>, cost: u64, policy: &Policy) -> Hold {
        let now = now_ns();
        slot.begin(now, cost);
        // Relaxed: a value that is a little old lets one request go too many or looks once more.
        if now < self.shared.clear_until_ns.load(Ordering::Relaxed) {
            return Hold::default();
        }
        self.hold(slot, now, cost, policy)
    }

    #[cold]
    fn hold(&self, slot: &Arc<Slot>, began: u64, cost: u64, policy: &Policy) -> Hold {
        let mut hold = Hold::default();
        let mut now = began;
        let mut held_for = None;
        // If somebody else is looking, that is not worth waiting for.
        while let Some(mut watch) = try_lock(&self.watch) {
            watch.look(now, &self.shared);
            let seen = watch
                .observe(now, began, cost, self.lot.parked(), &self.shared)
                .without_me();
            let too_long = now.saturating_sub(began) > LONGEST_HOLD_NS;
            let oldest = watch
                .oldest()
                .filter(|_| !too_long && policy.at_begin(&seen).parks());
            let Some(oldest) = oldest else {
                watch.score(held_for.as_ref());
                break;
            };
            drop(watch);
            let longest = LONGEST_PARK.max(seen.mean / PARK_PART);
            self.lot
                .park(slot, began, cost, longest, || oldest.is_under_way());
            let back = now_ns();
            hold.parks += 1;
            hold.parked_ns += back.saturating_sub(now);
            now = back;
            held_for.get_or_insert(oldest);
        }
        hold
    }

    /// Ends a request, and wakes whom it had held up.
    pub(crate) fn finish(&self, slot: &Slot, policy: &Policy) {
        slot.finish();
        // The other half of this is in `Lot::park`: either this thread sees the parked one, or that one sees that
        // the request is over.
        fence(Ordering::SeqCst);
        if self.lot.parked() > 0 {
            self.settle(policy);
        }
    }

    /// Lets go whom the policy no longer holds back: one, since it will let go the next when it is done, and more
    /// only if there are CPUs for them.
    ///
    /// Only for a thread that comes from the fence of `finish`: a request that it then sees under way will see, when it
    /// ends, those that are left here.
    #[cold]
    fn settle(&self, policy: &Policy) {
        let now = now_ns();
        let mut watch = lock(&self.watch);
        watch.look(now, &self.shared);
        let mut called = Vec::new();
        while let Some((began, cost)) = self.lot.front() {
            let seen = watch.observe(now, began, cost, self.lot.parked(), &self.shared);
            let idle = seen.admitted < seen.whole_cpus();
            if policy.at_begin(&seen).parks() || (!called.is_empty() && !idle) {
                break;
            }
            called.extend(self.lot.call());
            watch.admit();
        }
        drop(watch);
        // Only now: whoever is woken may take this thread's CPU at once, and others would wait for the lock meanwhile.
        for slot in called {
            slot.wake();
        }
    }

    /// Whether somebody has waited for so long, in times of the patience, when somebody last looked.
    pub(crate) fn is_alarmed(&self, level: u64) -> bool {
        self.shared.alarm.load(Ordering::Relaxed) >= level
    }

    /// What a thread without a request of its own sees, if anybody can be overdue.
    pub(crate) fn observe_if_due(&self, now: u64) -> Option<Observation> {
        if now < self.shared.clear_until_ns.load(Ordering::Relaxed) {
            return None;
        }
        self.observe()
    }

    /// What a thread without a request of its own sees; nothing if somebody else is looking.
    pub(crate) fn observe(&self) -> Option<Observation> {
        let now = now_ns();
        let mut watch = try_lock(&self.watch)?;
        watch.look(now, &self.shared);
        Some(watch.observe(now, now, 0, self.lot.parked(), &self.shared))
    }

    /// How many requests are under way, and the patience with them; zero as long as nobody knows how long they take.
    pub(crate) fn levels(&self) -> (u64, Duration) {
        lock(&self.watch).levels(&self.shared)
    }

    /// Sets the number of CPUs that the process may use, and the kernel's default slice where it is known.
    pub(crate) fn set_supply(&self, cpus: f64, slice: Option<Duration>) {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let milli = (cpus * 1e3) as u64;
        if self.shared.milli_cpus.load(Ordering::Relaxed) != milli {
            self.shared.milli_cpus.store(milli, Ordering::Relaxed);
        }
        let slice_ns = slice.map_or(0, |slice| u64::try_from(slice.as_nanos()).unwrap_or(0));
        if self.shared.slice_ns.load(Ordering::Relaxed) != slice_ns {
            self.shared.slice_ns.store(slice_ns, Ordering::Relaxed);
        }
    }
}
