//! How much time yields may still take.

use std::time::Duration;

use crate::nanos::nanos;

/// Yields may take one part in so many of a thread's time.
const PARTS: u64 = 10;

/// What can be saved up: some yields of the dearest kind.
const FULL_NS: u64 = 20_000_000;

/// Fills with time and is emptied by yields, by what they really took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    level_ns: u64,
    filled_at_ns: u64,
}

impl Bucket {
    pub(crate) fn new(now: u64) -> Self {
        Self {
            level_ns: FULL_NS,
            filled_at_ns: now,
        }
    }

    /// What is in it at `now`.
    pub(crate) fn allowance(&mut self, now: u64) -> Duration {
        let gained = now.saturating_sub(self.filled_at_ns) / PARTS;
        self.level_ns = self.level_ns.saturating_add(gained).min(FULL_NS);
        self.filled_at_ns = now;
        Duration::from_nanos(self.level_ns)
    }

    /// Takes out what a yield took. One that took more than there was leaves nothing.
    pub(crate) fn charge(&mut self, inside: Duration) {
        let ns = nanos(inside);
        self.level_ns = self.level_ns.saturating_sub(ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yields_take_a_tenth_of_the_time_in_the_long_run() {
        let mut bucket = Bucket::new(0);
        let (mut now, mut spent, price) = (0, 0, 3_000_000);
        while now < 10_000_000_000 {
            now += 100_000;
            if bucket.allowance(now) >= Duration::from_nanos(price) {
                bucket.charge(Duration::from_nanos(price));
                now += price;
                spent += price;
            }
        }
        let share = spent as f64 / now as f64;
        assert!((0.08..0.11).contains(&share), "{share}");
    }

    #[test]
    fn it_holds_no_more_than_it_can() {
        let mut bucket = Bucket::new(0);
        assert_eq!(bucket.allowance(u64::MAX), Duration::from_nanos(FULL_NS));
        bucket.charge(Duration::MAX);
        assert_eq!(bucket.allowance(u64::MAX), Duration::ZERO);
    }
}
