//! Tells a thread that waits in a loop of yields from one that works between them, and paces the loop.

mod price;
mod ring;

use std::hint;
use std::sync::Arc;
use std::time::Duration;

use self::price::{DEAR_NS, Price};
pub(crate) use self::ring::Ring;
use self::ring::Seat;
use crate::decision::{Decision, Pause};
use crate::nanos::nanos;
use crate::sys::{self, ThreadUsage};

/// Less time than this between two yields, over so many calls, is a loop that looks whether it may go on. A server that
/// yields after the reply and again before the receive does that twice in a row, not more.
const NO_WORK_NS: u64 = 10_000;
const LOOP: u32 = 3;

/// Of so many cheap yields of a loop one is measured, which takes longer than the yield.
const MEASURED: u32 = 32;
/// One in so many wakes another thread that waits.
const WAKES: u32 = 8;

/// After so many yields that let nobody else run, some 2 to 5 ms, whoever is waited for may have a lower priority, and
/// gets a nap's time. Not sooner: a nap of 60 us holds up a partner on another CPU; and before the forfeit, a thread that
/// has slept is chosen before those that have only yielded, for as many yields as they have made.
const UNUSED: u32 = 16_384;

/// A thread with a real-time priority naps after so much time, whether others of its kind use its yields or not: nobody
/// below them ever gets anything else.
const REAL_TIME_NS: u64 = 20_000;
/// And for so long, that several of them sleep at the same time. They have no timer slack that would make it longer.
const REAL_TIME_NAP_NS: u64 = 100_000;
/// Of so many measured yields at one the priority is asked for.
const PRIORITY: u32 = 16;

/// A nap takes one part in so many of the time that the thread has waited already,
const NAP_PART: u64 = 16;
/// but no longer than this: then naps take less than 1 % of a CPU, as yields do beside somebody who does not yield.
const LONGEST_NAP_NS: u64 = 2_000_000;

/// Once others have woken the thread in time, it relies on that for longer than a tick of 4 ms: a timer that comes before
/// the tick has to be set in hardware, which takes several times as long as to wake a thread.
const TRUSTED_NS: u64 = 5_000_000;

/// One per session.
#[derive(Debug, Default)]
pub(crate) struct Spin {
    /// When the last pause ended; in a run of unmeasured yields, when the last one began.
    back_ns: u64,
    /// Calls without work in between.
    calls: u32,
    /// Yields to come before the next one that is measured.
    unmeasured: u32,
    measured: u32,
    /// When the last one that was measured had ended, and what the thread had used until then.
    at_measured: (u64, ThreadUsage),
    /// Yields that let nobody else run, since the last one that did or the last nap.
    unused: u32,
    /// When the last nap ended.
    nap_ns: u64,
    real_time: bool,
    price: Price,
    /// Since when the thread has waited and nobody has woken it.
    alone_since_ns: u64,
    /// Whether somebody has woken it the last time.
    woken: bool,
    seat: Arc<Seat>,
}

/// How to wait in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Yield,
    Nap(u64),
    /// Until somebody else comes to a yield point, or for so long.
    HandOn(u64),
}

impl Spin {
    /// A yield point at `now` of a loop whose yields are cheap, but for those that are measured. If it is one, it is over,
    /// and this gives the time that the last one took.
    pub(crate) fn yield_again(&mut self, now: u64, ring: &Ring) -> Option<Pause> {
        self.unmeasured = self.unmeasured.checked_sub(1)?;
        let since = now.saturating_sub(self.back_ns);
        if since >= NO_WORK_NS {
            self.unmeasured = 0;
            self.find_out(now, ring);
            return None;
        }
        self.back_ns = now;
        if self.unmeasured.is_multiple_of(WAKES) {
            ring.wake_one(now);
        }
        // Every other one is for the other CPUs too, by a PAUSE: for the other thread of the core, and in QEMU's
        // deterministic mode, where CPUs take turns, for the next CPU. Where nobody uses the yields, that is enough.
        let pauses = self.unmeasured.is_multiple_of(2);
        if pauses {
            hint::spin_loop();
        }
        if !pauses || self.unused == 0 {
            sys::yield_cpu();
        }
        Some(Pause {
            decision: Decision::Yield,
            inside: Duration::from_nanos(since),
            switched: false,
        })
    }

    /// Did the thread work, or did an unmeasured yield take so long?
    #[cold]
    fn find_out(&mut self, now: u64, ring: &Ring) {
        let Some(usage) = sys::thread_usage() else { return };
        let (then, before) = self.at_measured;
        let worked = usage.cpu_ns.saturating_sub(before.cpu_ns);
        let away = now.saturating_sub(then).saturating_sub(worked);
        if usage.slept == before.slept && away > worked {
            if away >= DEAR_NS {
                self.price.dear(away, now, &ring.prices);
            }
            self.back_ns = now;
        }
    }

    /// A yield point at `now`. Gives how long the thread did something else before; `None` for the first.
    pub(crate) fn arrive(&mut self, now: u64) -> Option<u64> {
        let gap = now.saturating_sub(self.back_ns);
        if gap < NO_WORK_NS {
            self.calls = self.calls.saturating_add(1);
        } else {
            self.calls = 0;
            self.woken = false;
        }
        if self.calls <= LOOP {
            self.unused = 0;
            self.nap_ns = now;
            self.alone_since_ns = now;
        }
        (self.back_ns > 0).then_some(gap)
    }

    /// Whether the thread did nothing since the last yield point.
    pub(crate) fn is_idle(&self) -> bool {
        self.calls > 0
    }

    /// Whether it is in a loop that waits.
    pub(crate) fn is_loop(&self) -> bool {
        self.calls >= LOOP
    }

    /// Waits a little, in a loop, from `now` on.
    pub(crate) fn pause(&mut self, now: u64, ring: &Ring) -> Pause {
        match self.decide(now, ring) {
            Wait::Yield => {
                ring.wake_one(now);
                self.measured_yield(now, ring)
            }
            Wait::Nap(ns) => {
                sys::nap_for(ns);
                self.nap_ns = sys::monotonic_ns();
                self.unused = 0;
                self.look_up_priority();
                paused(Decision::Nap, now, self.nap_ns, true)
            }
            Wait::HandOn(ns) => {
                let woken = ring.hand_on(&self.seat, now, now + ns);
                let back = sys::monotonic_ns();
                self.handed_on(woken, back);
                paused(Decision::Nap, now, back, true)
            }
        }
    }

    fn decide(&self, now: u64, ring: &Ring) -> Wait {
        if self.real_time {
            return if now.saturating_sub(self.nap_ns) < REAL_TIME_NS {
                Wait::Yield
            } else {
                Wait::Nap(REAL_TIME_NAP_NS)
            };
        }
        if ring.prices.are_dear(now) {
            if self.woken {
                return Wait::HandOn(TRUSTED_NS);
            }
            let waited = now.saturating_sub(self.alone_since_ns);
            return Wait::HandOn((waited / NAP_PART).clamp(1, LONGEST_NAP_NS));
        }
        if self.unused < UNUSED {
            Wait::Yield
        } else {
            Wait::Nap(1)
        }
    }

    fn measured_yield(&mut self, now: u64, ring: &Ring) -> Pause {
        let before = sys::thread_usage();
        sys::yield_cpu();
        let (back, after) = (sys::monotonic_ns(), sys::thread_usage());
        let switched = before.map(|usage| usage.preempted) != after.map(|usage| usage.preempted);
        self.at_measured = (back, after.unwrap_or_default());
        let pause = paused(Decision::Yield, now, back, switched);
        self.yielded(&pause, back, ring);
        pause
    }

    fn yielded(&mut self, pause: &Pause, now: u64, ring: &Ring) {
        let ns = nanos(pause.inside);
        if self.measured.is_multiple_of(PRIORITY) {
            self.look_up_priority();
        }
        self.measured = self.measured.wrapping_add(1);
        if ns >= DEAR_NS {
            self.price.dear(ns, now, &ring.prices);
        } else if pause.switched {
            self.price.cheap(MEASURED);
        }
        self.unused = if pause.switched {
            0
        } else {
            self.unused.saturating_add(MEASURED)
        };
        if ns < NO_WORK_NS && !self.real_time {
            self.unmeasured = MEASURED - 1;
        }
    }

    fn look_up_priority(&mut self) {
        self.real_time = sys::sched_attr().is_ok_and(|attr| attr.is_real_time());
    }

    fn handed_on(&mut self, woken: bool, now: u64) {
        self.woken = woken;
        if woken {
            self.alone_since_ns = now;
        }
    }

    /// The thread ends.
    pub(crate) fn end(&self, ring: &Ring) {
        ring.leave(&self.seat);
    }

    /// The thread goes on at `now`.
    pub(crate) fn leave(&mut self, now: u64) {
        self.back_ns = now;
    }
}

fn paused(decision: Decision, from: u64, to: u64, switched: bool) -> Pause {
    Pause {
        decision,
        inside: Duration::from_nanos(to.saturating_sub(from)),
        switched,
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
