//! Tells a thread that waits in a loop of yields from one that works between them, and paces the loop.

use std::time::Duration;

use crate::decision::{Decision, Pause};

/// Less time than this between two yields, over so many calls, is a loop that looks whether it may go on. A server that
/// yields after the reply and again before the receive does that twice in a row, not more.
const NO_WORK_NS: u64 = 10_000;
const LOOP: u32 = 3;

/// A yield that takes longer gives the CPU to somebody who does not yield. A sleep is shorter: some 60 us, with the
/// kernel's default slack.
const DEAR: Duration = Duration::from_micros(100);

/// After a dear yield so many naps, before another yield is tried; twice as many after the next.
const NAPS: u32 = 32;
const MOST_NAPS: u32 = 1024;

/// After so many yields that nobody else could use, some 0.5 ms, whoever is waited for is not in this CPU's queue, or
/// has a lower priority: then yields do not bring him on and only burn the CPU.
const UNUSED: u32 = 1000;

/// Of so many yields of a loop one is asked whether it switched, since asking takes longer than the yield.
const ASKED: u32 = 16;

/// One per session.
#[derive(Debug, Default)]
pub(crate) struct Spin {
    /// When the last pause ended.
    back_ns: u64,
    /// Calls without work in between.
    calls: u32,
    /// Yields in a row that did not switch, as far as was asked.
    unused: u32,
    naps_left: u32,
    naps_next: u32,
}

impl Spin {
    /// A yield point at `now`. Gives how long the thread did something else before; `None` for the first.
    pub(crate) fn arrive(&mut self, now: u64) -> Option<u64> {
        let gap = now.saturating_sub(self.back_ns);
        if gap < NO_WORK_NS {
            self.calls = self.calls.saturating_add(1);
        } else {
            *self = Self {
                back_ns: self.back_ns,
                ..Self::default()
            };
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

    /// How to wait in a loop.
    pub(crate) fn decide(&mut self) -> Decision {
        if self.unused >= UNUSED {
            return Decision::Nap;
        }
        match self.naps_left.checked_sub(1) {
            Some(left) => {
                self.naps_left = left;
                Decision::Nap
            }
            None => Decision::Yield,
        }
    }

    /// Whether this pause of a loop is to be asked if it switched.
    pub(crate) fn asks(&self) -> bool {
        self.calls.is_multiple_of(ASKED)
    }

    /// A pause of a loop is over. `asked` if it was asked whether it switched.
    pub(crate) fn paused(&mut self, pause: &Pause, asked: bool) {
        if pause.decision != Decision::Yield {
            return;
        }
        if asked {
            self.unused = if pause.switched { 0 } else { self.unused + ASKED };
        }
        if pause.inside >= DEAR {
            self.naps_next = (self.naps_next * 2).clamp(NAPS, MOST_NAPS);
            self.naps_left = self.naps_next;
        }
    }

    /// The thread goes on at `now`.
    pub(crate) fn leave(&mut self, now: u64) {
        self.back_ns = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YIELD_NS: u64 = 500;

    /// A loop of `calls` yield points, in which a yield takes what `price` says; gives how often it yielded and napped.
    fn spin(spin: &mut Spin, calls: u32, price: Duration, switched: bool) -> (u32, u32) {
        let (mut yields, mut naps, mut now) = (0, 0, spin.back_ns.max(1));
        for _ in 0..calls {
            now += 100;
            spin.arrive(now);
            if spin.is_loop() {
                let decision = spin.decide();
                let asked = spin.asks();
                let pause = Pause {
                    decision,
                    inside: price,
                    switched: switched && asked,
                };
                match decision {
                    Decision::Yield => yields += 1,
                    _ => naps += 1,
                }
                spin.paused(&pause, asked);
            }
            now += YIELD_NS;
            spin.leave(now);
        }
        (yields, naps)
    }

    #[test]
    fn a_loop_whose_yields_are_cheap_and_used_goes_on_yielding() {
        let (yields, naps) = spin(&mut Spin::default(), 10_000, Duration::from_micros(2), true);
        assert!(yields > 9_900 && naps == 0, "{yields} {naps}");
    }

    #[test]
    fn dear_yields_become_rare() {
        let (yields, naps) = spin(&mut Spin::default(), 10_000, Duration::from_millis(3), true);
        assert!((5..40).contains(&yields) && naps > 9_000, "{yields} {naps}");
    }

    #[test]
    fn yields_that_nobody_uses_end_in_naps() {
        let (yields, naps) = spin(&mut Spin::default(), 10_000, Duration::from_nanos(500), false);
        assert!((900..1100).contains(&yields) && naps > 8_000, "{yields} {naps}");
    }

    #[test]
    fn work_in_between_is_no_loop() {
        let mut spin = Spin::default();
        assert_eq!(spin.arrive(1_000), None);
        for request in 1..100_u64 {
            spin.leave(request * 100_000);
            // After send, and right after it before receive.
            assert_eq!(spin.arrive(request * 100_000 + 60_000), Some(60_000));
            assert!(!spin.is_idle());
            spin.leave(request * 100_000 + 61_000);
            spin.arrive(request * 100_000 + 62_000);
            assert!(spin.is_idle() && !spin.is_loop());
        }
    }
}
