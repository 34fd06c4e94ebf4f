//! What is known of all sessions together: who is the oldest, how long requests take, what they wait for.

use std::sync::Arc;
use std::time::Duration;

use super::Shared;
use super::bare::{Bare, PAUSE_PER_ANSWER_NS};
use super::slot::{Slot, Work};
use crate::observation::{Observation, Oldest};
use crate::policy::auto::BARE_PATIENCE;
use crate::policy::patience;
use crate::sync::Ordering;

/// Looking at a session takes some 10 ns. Looking at all of them is not done again before that time has passed as
/// many times over, so that it takes a sixtieth of one CPU at most, however many there are.
#[cfg(not(loom))]
const PAUSE_PER_SESSION_NS: u64 = 640;
#[cfg(loom)]
const PAUSE_PER_SESSION_NS: u64 = 0;

/// As long as the oldest request is still under way, what was seen of the others is good for a quarter of a short
/// request's time.
const FRESH_NS: u64 = 50_000;

/// As long as nobody knows how long requests take, this is looked at again so often.
const FIRST_LOOKS_NS: u64 = 1_000_000;

/// How often the counts of all sessions are added up.
const LESSONS_NS: u64 = 1_000_000;

/// New requests that move the mean, and by what part.
const BATCH: u64 = 16;
const WEIGHT: f64 = 0.1;

/// What is forgotten of the requests that were looked at closely when there is another: they are few, so each says little.
const CLOSE_WEIGHT: f64 = 0.05;

/// How much one hold counts: it takes some dozens that do not help to give them up.
const SCORE_WEIGHT: f64 = 0.02;

/// What is kept per lesson of the score of holds: after half a second without any they are tried again.
const FORGET: f64 = 0.999;

/// A request that is older than so many times the mean is not one of many that wait for their turn: it has a long
/// way to go by itself, or waits for something that does not come. Nobody is held back for it.
const HOPELESS: f64 = 30.0;

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Watch {
    slots: Vec<Arc<Slot>>,
    /// What sessions that have ended took.
    ended: Work,
    seen: Work,
    mean_ns: f64,
    /// Of the requests that were looked at closely: their time, and the part of it that they ran or waited for a CPU.
    /// Both fade, so that they are those of the last requests.
    wall_ns: f64,
    wanting_ns: f64,
    /// The part of the last holds that did not help.
    in_vain: f64,
    admitted: usize,
    oldest: Option<UnderWay>,
    next_look_ns: u64,
    stale_at_ns: u64,
    next_lesson_ns: u64,
}

/// A request that was seen under way.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    slot: Arc<Slot>,
    began: u64,
    cost: u64,
}

impl UnderWay {
    /// Whether it still is, and was not sent to wait itself.
    pub(super) fn is_under_way(&self) -> bool {
        self.slot.began() == Some(self.began) && !self.slot.is_held()
    }
}

impl Watch {
    pub(super) fn enter(&mut self, slot: &Arc<Slot>) {
        self.slots.push(Arc::clone(slot));
    }

    pub(super) fn leave(&mut self, slot: &Arc<Slot>) {
        if let Some(place) = self.slots.iter().position(|other| Arc::ptr_eq(other, slot)) {
            self.slots.swap_remove(place);
            self.ended = self.ended.plus(slot.work());
        }
    }

    /// Looks at all sessions, unless that was done just now: then only whether the oldest request is still under way.
    pub(super) fn look(&mut self, now: u64, shared: &Shared) {
        let known = self.oldest.as_ref().is_some_and(UnderWay::is_under_way);
        if !known {
            self.oldest = None;
        }
        let due = if known {
            self.stale_at_ns
        } else {
            self.next_look_ns
        };
        if now < due {
            if !known {
                shared.clear_at_least_until(due);
            }
            return;
        }
        let hopeless_before = now.saturating_sub(scaled(self.mean_ns, HOPELESS));
        let mut bare = Bare::new(now, scaled(self.mean_ns, BARE_PATIENCE).max(shared.slice_ns()));
        let mut oldest: Option<(&Arc<Slot>, u64)> = None;
        self.admitted = 0;
        for slot in &self.slots {
            let Some(began) = slot.began().filter(|_| !slot.is_held()) else {
                continue;
            };
            let tid = slot.bare_tid();
            self.admitted += usize::from(tid.is_none());
            if began < hopeless_before {
                continue;
            }
            match tid {
                Some(tid) => bare.add(slot, began, tid),
                None if oldest.is_none_or(|(_, earliest)| began < earliest) => oldest = Some((slot, began)),
                None => {}
            }
        }
        let oldest = bare.oldest(oldest).map(|(slot, began)| UnderWay {
            slot: Arc::clone(slot),
            began,
            cost: slot.cost(),
        });
        let bare_due = bare.due_ns();
        let pause = self.slots.len() as u64 * PAUSE_PER_SESSION_NS + bare.asked() * PAUSE_PER_ANSWER_NS;
        self.oldest = oldest;
        self.next_look_ns = now + pause;
        self.stale_at_ns = now + pause.max(FRESH_NS);
        self.learn(now);
        self.publish(now, bare_due, shared);
    }

    fn learn(&mut self, now: u64) {
        if now < self.next_lesson_ns {
            return;
        }
        self.next_lesson_ns = now + LESSONS_NS;
        self.in_vain *= FORGET;
        let work = self
            .slots
            .iter()
            .fold(self.ended, |work, slot| work.plus(slot.work()));
        let new = work.minus(self.seen);
        if new.timed < BATCH {
            return;
        }
        self.seen = work;
        let mean = new.timed_ns as f64 / new.timed as f64;
        let weight = if self.mean_ns > 0.0 { WEIGHT } else { 1.0 };
        self.mean_ns += weight * (mean - self.mean_ns);
        if new.wall_ns > 0 {
            // Sums and not ratios fade: one long request says as much about where the time goes as many short ones.
            let wanting = new.cpu_ns.saturating_add(new.delay_ns).min(new.wall_ns);
            self.wall_ns = self.wall_ns * (1.0 - CLOSE_WEIGHT) + new.wall_ns as f64;
            self.wanting_ns = self.wanting_ns * (1.0 - CLOSE_WEIGHT) + wanting as f64;
        }
    }

    /// A request goes on that was held back, first for this one: did that help?
    pub(super) fn score(&mut self, held_for: Option<&UnderWay>) {
        if let Some(oldest) = held_for {
            let in_vain = f64::from(u8::from(oldest.is_under_way()));
            self.in_vain += SCORE_WEIGHT * (in_vain - self.in_vain);
        }
    }

    /// The part of its time that a request neither runs nor waits for a CPU.
    fn blocked(&self) -> f64 {
        if self.wall_ns > 0.0 {
            1.0 - self.wanting_ns / self.wall_ns
        } else {
            0.0
        }
    }

    fn publish(&self, now: u64, bare_due_ns: u64, shared: &Shared) {
        if self.mean_ns == 0.0 {
            shared
                .clear_until_ns
                .store(now + FIRST_LOOKS_NS, Ordering::Relaxed);
            return;
        }
        let patience = patience::of(self.mean_ns, shared.slice_ns());
        let oldest = self.oldest.as_ref().map_or(now, |oldest| oldest.began);
        let clear_until = bare_due_ns.min(oldest + patience);
        shared.clear_until_ns.store(clear_until, Ordering::Relaxed);
        if self.oldest.is_none() {
            shared.clear_at_least_until(self.next_look_ns);
        }
        let alarm = now.saturating_sub(oldest) / patience.max(1);
        if shared.alarm.load(Ordering::Relaxed) != alarm {
            shared.alarm.store(alarm, Ordering::Relaxed);
        }
    }

    /// How many requests are under way now, and the patience.
    pub(super) fn levels(&self, shared: &Shared) -> (u64, Duration) {
        let under_way =
            |slot: &&Arc<Slot>| slot.began().is_some() && slot.bare_tid().is_none() && !slot.is_held();
        let active = self.slots.iter().filter(under_way).count() as u64;
        let patience = if self.mean_ns > 0.0 {
            patience::of(self.mean_ns, shared.slice_ns())
        } else {
            0
        };
        (active, Duration::from_nanos(patience))
    }

    /// Counts a request that was let go since the last look.
    pub(super) fn admit(&mut self) {
        self.admitted += 1;
    }

    /// The oldest request that is under way and not hopeless.
    pub(super) fn oldest(&self) -> Option<UnderWay> {
        self.oldest.clone()
    }

    /// What a request sees that began at `began`.
    pub(super) fn observe(
        &self,
        now: u64,
        began: u64,
        cost: u64,
        parked: usize,
        shared: &Shared,
    ) -> Observation {
        let age = |began: u64| Duration::from_nanos(now.saturating_sub(began));
        let oldest = self.oldest.as_ref().filter(|oldest| oldest.began < began);
        Observation {
            age: age(began),
            cost: Duration::from_nanos(cost),
            oldest: oldest.map(|oldest| Oldest {
                age: age(oldest.began),
                cost: Duration::from_nanos(oldest.cost),
            }),
            mean: Duration::from_nanos(scaled(self.mean_ns, 1.0)),
            slice: Duration::from_nanos(shared.slice_ns()),
            admitted: self.admitted,
            parked,
            cpus: shared.milli_cpus.load(Ordering::Relaxed) as f64 / 1e3,
            blocked: self.blocked(),
            in_vain: self.in_vain,
            ..Observation::default()
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates"
)]
fn scaled(ns: f64, by: f64) -> u64 {
    (ns * by) as u64
}
