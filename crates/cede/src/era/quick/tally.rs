//! From counts of yields to a verdict. No clock and no system call in here.

use std::time::Duration;

use super::ledger::Charge;

/// Yields that leave the yielder on the CPU, with the busy thread waiting for it, until their being free of charge
/// counts. One would do; more make up for a stray one.
const FREE_YIELDS: u32 = 16;

/// A forfeit is no small part of the CPU time that the yielder used, most of it for readings of the ledger: some 20 us
/// each, and 90 us on an emulated CPU. A change of the thread's weight under way makes less of a difference.
const CPU_TIME_TO_CHARGE: u32 = 2;

/// A thread without the forfeit runs on when it is its turn, until it has as much CPU time as the other. It may take
/// three turns of the other's until it comes to that: one because a new thread can begin with a debt, one because
/// CFS lets a yield pass the turn on as long as the other is ahead by no more than a wake-up granularity, and one that
/// was its due.
const TURNS: u32 = 4;

/// The same where turns are so long that there is no time for so many: more than a debt (a slice, 3 ms) and one turn
/// (a tick, 10 ms at most) come to.
const OWED: Duration = Duration::from_millis(15);

/// Yields and CPU time that only a thread without the forfeit can have: one with it gets as much as one yield for
/// each slice of the other.
const MANY_YIELDS: u32 = 100;
const LONG_TURN: Duration = Duration::from_millis(1);

/// Between the 1 to 6 % of the CPU time that yielders have with the forfeit, and the half that they have without it
/// (Linux 6.1 to 7.2).
const SMALL_SHARE: u32 = 10;
const LARGE_SHARE: u32 = 4;

/// What came of yielding beside a busy thread so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) yields: u32,
    /// Yields after which the busy thread was still waiting.
    pub(crate) stayed: u32,
    /// Yields during which the busy thread ran for half a slice or more.
    pub(crate) turns: u32,
    /// From the yielder's ledger, if it can be read.
    pub(crate) charge: Option<Charge>,
    pub(crate) yielder_cpu: Duration,
    /// Zero until the busy thread runs for the first time.
    pub(crate) busy_cpu: Duration,
}

impl Tally {
    /// Counts a yield with the busy thread waiting for the CPU, and that one's CPU time before and after.
    pub(crate) fn count(&mut self, before: Duration, after: Duration, slice: Duration) {
        self.yields += 1;
        self.busy_cpu = after;
        if before == after {
            self.stayed += 1;
        } else if after.saturating_sub(before) >= slice / 2 {
            self.turns += 1;
        }
    }

    /// Whether yields forfeit, once that is clear. `slice` is the yielder's.
    pub(crate) fn verdict(&self, slice: Duration) -> Option<bool> {
        self.by_charge(slice).or_else(|| self.by_share(slice))
    }

    fn by_charge(&self, slice: Duration) -> Option<bool> {
        let Charge { used, beyond } = self.charge?;
        if beyond >= slice / 2 && beyond >= used / CPU_TIME_TO_CHARGE {
            return Some(true);
        }
        (self.stayed >= FREE_YIELDS && beyond < slice / 2).then_some(false)
    }

    fn by_share(&self, slice: Duration) -> Option<bool> {
        let owed = self.busy_cpu.saturating_sub(self.yielder_cpu);
        if self.yielder_cpu < self.busy_cpu / SMALL_SHARE
            && (self.turns >= TURNS && owed >= slice * TURNS / 2 || self.turns >= 2 && owed >= OWED)
        {
            return Some(true);
        }
        (self.yields >= MANY_YIELDS
            && self.yielder_cpu >= LONG_TURN
            && self.yielder_cpu >= self.busy_cpu / LARGE_SHARE)
            .then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLICE: Duration = Duration::from_micros(200);

    const fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    /// Counts and times as seen in the lab; charge in microseconds beyond and used.
    fn tally(yields: u32, stayed: u32, turns: u32, charge: Option<(u64, u64)>, cpu: (u64, u64)) -> Tally {
        Tally {
            yields,
            stayed,
            turns,
            charge: charge.map(|(beyond, used)| Charge {
                beyond: us(beyond),
                used: us(used),
            }),
            yielder_cpu: us(cpu.0),
            busy_cpu: us(cpu.1),
        }
    }

    #[test]
    fn kernels_are_told_by_the_charge() {
        let table = [
            ("6.1.192", tally(16, 16, 0, Some((0, 185)), (107, 0)), Some(false)),
            (
                "6.12.57",
                tally(18, 16, 1, Some((0, 190)), (110, 3900)),
                Some(false),
            ),
            ("6.18.15", tally(2, 0, 1, Some((259, 100)), (9, 264)), Some(true)),
            ("7.3.4", tally(1, 0, 1, Some((993, 103)), (4, 1100)), Some(true)),
            (
                "6.18.44, beside others",
                tally(8, 0, 0, Some((3000, 29)), (5, 0)),
                Some(true),
            ),
        ];
        for (kernel, tally, forfeits) in table {
            assert_eq!(tally.verdict(SLICE), forfeits, "{kernel}");
        }
    }

    #[test]
    fn kernels_are_told_by_the_share() {
        let table = [
            ("6.1.192", tally(339, 339, 0, None, (1000, 0)), Some(false)),
            ("6.12.57", tally(500, 490, 1, None, (1000, 3900)), Some(false)),
            (
                "6.18.44, ticks of 4 ms",
                tally(24, 20, 4, None, (18, 16_000)),
                Some(true),
            ),
            ("ticks of 10 ms", tally(40, 38, 2, None, (60, 20_000)), Some(true)),
            ("7.3.4", tally(4, 0, 4, None, (20, 830)), Some(true)),
        ];
        for (kernel, tally, forfeits) in table {
            assert_eq!(tally.verdict(SLICE), forfeits, "{kernel}");
        }
    }

    #[test]
    fn little_evidence_is_no_verdict() {
        let table = [
            ("nothing", Tally::default()),
            ("a yielder in debt", tally(3, 0, 3, None, (6, 12_000))),
            (
                "yields that all switched",
                tally(40, 0, 0, Some((0, 300)), (80, 100)),
            ),
            (
                "a thread whose weight was changed",
                tally(3, 0, 1, Some((300, 900)), (9, 264)),
            ),
        ];
        for (what, tally) in table {
            assert_eq!(tally.verdict(SLICE), None, "{what}");
        }
    }

    #[test]
    fn a_yield_counts_by_what_the_busy_thread_did() {
        let mut tally = Tally::default();
        tally.count(us(5), us(5), SLICE);
        tally.count(us(5), us(50), SLICE);
        tally.count(us(50), us(150), SLICE);
        assert_eq!((tally.yields, tally.stayed, tally.turns), (3, 1, 1));
        assert_eq!(tally.busy_cpu, us(150));
    }
}
