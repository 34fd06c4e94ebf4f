use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use super::{Work, bell::Bell};

/// How much work updates leave behind, and when it is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftoversPlan {
    /// CPU that each update leaves behind, in us.
    pub per_update_us: f64,
    /// The background thread runs when this much is due, in us of CPU.
    pub burst_us: f64,
    /// Past this, updates do their share themselves, in us of CPU.
    pub limit_us: f64,
}

/// Work that updates leave to a background thread.
#[derive(Debug)]
pub struct Leftovers {
    plan: LeftoversPlan,
    work: Work,
    due_ns: AtomicU64,
    done_by_updates_ns: AtomicU64,
    updates: AtomicU64,
    stopped: AtomicBool,
    burst_due: Bell,
    updated: Bell,
    stopping: Bell,
}

fn to_ns(us: f64) -> u64 {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive time, and `as` saturates"
    )]
    let ns = (us * 1e3) as u64;
    ns
}

fn to_us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

impl Leftovers {
    pub(super) fn new(plan: LeftoversPlan, work: Work) -> Self {
        Self {
            plan,
            work,
            due_ns: AtomicU64::default(),
            done_by_updates_ns: AtomicU64::default(),
            updates: AtomicU64::default(),
            stopped: AtomicBool::default(),
            burst_due: Bell::default(),
            updated: Bell::default(),
            stopping: Bell::default(),
        }
    }

    /// One update was done: leaves its share behind, or does it at once when too much is due.
    pub fn leave(&self) {
        self.updates.fetch_add(1, Ordering::SeqCst);
        self.updated.ring();
        let share = to_ns(self.plan.per_update_us);
        if share == 0 {
            return;
        }
        if self.due_ns.load(Ordering::Relaxed) >= to_ns(self.plan.limit_us) {
            self.work.run(self.plan.per_update_us);
            self.done_by_updates_ns.fetch_add(share, Ordering::Relaxed);
        } else if self.due_ns.fetch_add(share, Ordering::SeqCst) + share >= to_ns(self.plan.burst_us) {
            self.burst_due.ring();
        }
    }

    /// Work that is due, in us.
    #[must_use]
    pub fn due_us(&self) -> f64 {
        to_us(self.due_ns.load(Ordering::Relaxed))
    }

    /// Work that updates did themselves, in us.
    #[must_use]
    pub fn done_by_updates_us(&self) -> f64 {
        to_us(self.done_by_updates_ns.load(Ordering::Relaxed))
    }

    /// Number of updates so far.
    pub(super) fn updates(&self) -> u64 {
        self.updates.load(Ordering::SeqCst)
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.burst_due.ring();
        self.updated.ring();
        self.stopping.ring();
    }

    /// Blocks for `time`, or until stopped.
    pub(super) fn pause(&self, time: Duration) {
        self.stopping.wait_for(time, || self.stopped());
    }

    /// Threads that are in a pause.
    #[cfg(test)]
    pub(super) fn pausing(&self) -> u64 {
        self.stopping.waiting()
    }

    /// Blocks until there are more than `seen` updates, or stopped.
    pub(super) fn wait_for_update(&self, seen: u64) {
        self.updated
            .wait_until(|| self.stopped() || self.updates() != seen);
    }

    /// The background thread.
    pub(super) fn run(&self) {
        let burst = to_ns(self.plan.burst_us);
        while !self.stopped() {
            self.burst_due
                .wait_until(|| self.stopped() || self.due_ns.load(Ordering::SeqCst) >= burst);
            while !self.stopped() && self.due_ns.load(Ordering::Relaxed) >= burst {
                self.work.run(self.plan.burst_us);
                self.due_ns.fetch_sub(burst, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn leftovers(per_update_us: f64) -> Leftovers {
        let plan = LeftoversPlan {
            per_update_us,
            burst_us: 100.0,
            limit_us: 250.0,
        };
        Leftovers::new(plan, Work::new(scenario::Auto::Given(1.0)))
    }

    #[test]
    fn past_the_limit_updates_do_their_share_themselves() {
        let leftovers = leftovers(40.0);
        for _ in 0..20 {
            leftovers.leave();
        }
        // 7 shares of 40 us reach the limit of 250 us; the other 13 were done at once.
        assert!((leftovers.due_us() - 280.0).abs() < 0.5);
        assert!((leftovers.done_by_updates_us() - 13.0 * 40.0).abs() < 0.5);
    }

    #[test]
    fn the_thread_leaves_less_than_a_burst() {
        let leftovers = Arc::new(leftovers(40.0));
        let thread = std::thread::spawn({
            let leftovers = Arc::clone(&leftovers);
            move || leftovers.run()
        });
        for _ in 0..1_000 {
            leftovers.leave();
        }
        while leftovers.due_us() >= 100.0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        leftovers.stop();
        thread.join().unwrap();
        assert!(leftovers.due_us() < 100.0);
    }
}
