//! From the lengths of a thread's runs to whether slices are exact. No clock and no system call in here.

use std::time::Duration;

/// A run of this many slices has outlived its slice: only a tick will end it ...
const LONG: u32 = 4;
/// ... and one of its slice's length, give or take a quarter, was ended by its slice, most likely.
const GIVE_OR_TAKE: u32 = 4;

/// So many long runs, and more of them than short ones, are no accident. Linux 7.3.4 lets a run outlive its slice now
/// and then, where a tick comes in between, and the other thread makes up for it: two in a row (7 of 160 measurements).
const LONG_RUNS: u32 = 3;
/// So many short runs are no accident: something that woke up can end a run as well, and so does a tick. On a busy host
/// with ticks only (Linux 6.18.44) six were, in one of 60 measurements.
const SHORT_RUNS: u32 = 8;

/// Something else was on the CPU if the clock jumps by this: an interrupt, a third thread, the hypervisor. A run across
/// it is of unknown length.
const JUMP: Duration = Duration::from_micros(100);

/// Watches two busy threads take turns, by the clock of one and the CPU time of the other.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    slice: Duration,
    began: Duration,
    last: Duration,
    other: Duration,
    run: Run,
    /// Runs of this thread.
    short: u32,
    /// Runs of either thread.
    long: u32,
}

/// What is known of the run under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    /// It may be the rest of an earlier slice.
    First,
    /// It was seen from its beginning on.
    Whole,
    /// The clock has jumped since it began.
    Torn,
}

impl Runs {
    /// Begins at the time `now`, with the other thread's CPU time so far.
    pub(crate) const fn new(slice: Duration, now: Duration, other: Duration) -> Self {
        Self {
            slice,
            began: now,
            last: now,
            other,
            run: Run::First,
            short: 0,
            long: 0,
        }
    }

    /// A look at the clock and at the other's CPU time. Says whether slices are exact, once that is clear.
    pub(crate) fn look(&mut self, now: Duration, other: Duration) -> Option<bool> {
        let is_long = |run: Duration| run >= self.slice * LONG;
        if other > self.other {
            let ran = self.last.saturating_sub(self.began);
            let of_slice = ran.abs_diff(self.slice) <= self.slice / GIVE_OR_TAKE;
            self.short += u32::from(self.run == Run::Whole && of_slice);
            self.long += u32::from(self.run != Run::First && is_long(ran));
            self.long += u32::from(is_long(other.saturating_sub(self.other)));
            (self.run, self.began, self.other) = (Run::Whole, now, other);
        } else if now.saturating_sub(self.last) > JUMP && self.run != Run::First {
            (self.run, self.began) = (Run::Torn, now);
        }
        self.last = now;
        let under_way = self.run != Run::First && is_long(now.saturating_sub(self.began));
        let long = self.long + u32::from(under_way);
        if long >= LONG_RUNS && long > self.short {
            Some(false)
        } else {
            (self.short >= SHORT_RUNS).then_some(true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLICE: Duration = Duration::from_micros(200);
    /// Of the looks at the clock.
    const STEP_US: u64 = 10;

    /// Runs of these lengths, in microseconds, with turns of the other in between.
    fn watch(runs_us: &[u64], turn_us: u64) -> Option<bool> {
        let (mut now_us, mut other_us) = (0, 0);
        let mut runs = Runs::new(SLICE, Duration::ZERO, Duration::ZERO);
        for run_us in runs_us {
            for _ in 0..run_us / STEP_US {
                now_us += STEP_US;
                let seen = runs.look(Duration::from_micros(now_us), Duration::from_micros(other_us));
                if seen.is_some() {
                    return seen;
                }
            }
            now_us += turn_us;
            other_us += turn_us;
        }
        None
    }

    /// As seen on Linux 7.3.4: runs of 197 us.
    #[test]
    fn runs_of_a_slice_are_exact() {
        assert_eq!(watch(&[190; 10], 200), Some(true));
        // One of them lost to a tick.
        assert_eq!(
            watch(&[120, 190, 190, 4000, 190, 190, 190, 190, 190, 190, 190], 200),
            Some(true)
        );
    }

    /// As seen on Linux 6.18.15 with 250 ticks a second: runs of 4 ms after the first one.
    #[test]
    fn runs_up_to_a_tick_are_not() {
        assert_eq!(watch(&[2230, 4000, 4000], 4000), Some(false));
        // The same with 1000 ticks a second.
        assert_eq!(watch(&[500, 1000, 1000], 1000), Some(false));
        // The same where turns came to lie across ticks.
        assert_eq!(watch(&[2230, 3500, 3500, 3500], 320), Some(false));
    }

    #[test]
    fn the_rest_of_an_earlier_slice_tells_nothing() {
        assert_eq!(watch(&[15_000], 200), None);
    }

    #[test]
    fn few_runs_or_odd_ones_tell_nothing() {
        assert_eq!(watch(&[120, 190, 190, 190], 200), None);
        // Cut short by something that woke up.
        assert_eq!(watch(&[30; 40], 200), None);
    }

    #[test]
    fn a_run_that_the_hypervisor_stretched_is_not_long() {
        let us = Duration::from_micros;
        let mut runs = Runs::new(SLICE, us(0), us(0));
        assert_eq!(runs.look(us(200), us(100)), None);
        assert_eq!(runs.look(us(5000), us(100)), None);
        assert_eq!(runs.look(us(5010), us(100)), None);
    }
}
