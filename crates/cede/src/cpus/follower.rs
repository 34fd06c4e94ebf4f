//! The supply of CPUs, followed while the program runs.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Supply, cpus};

/// How old the answer may become. Quotas are changed by people and by autoscalers that act over many seconds.
const REFRESH_NS: u64 = 1_000_000_000;

/// Tells how many CPUs the process may use without reading files each time.
///
/// [`get`](Self::get) costs less than 1 ns. Once a second one of its callers reads anew, which costs that one
/// 6 us in the root of a v1 hierarchy and 16 us two levels below it, and what it waits for a CPU meanwhile;
/// everybody else goes on with the earlier answer (Linux 6.18.44, a virtual machine: `cargo test --release
/// -p cede --lib what_a_reading_costs -- --ignored --nocapture`).
#[derive(Debug)]
pub(crate) struct Follower {
    supply: Supply,
    milli: AtomicU64,
    due_ns: AtomicU64,
}

impl Follower {
    /// Reads for the first time. `now_ns` is from a monotonic clock with any origin.
    pub(crate) fn start(now_ns: u64) -> Self {
        let supply = Supply::find();
        let milli = supply.available_milli();
        Self {
            supply,
            milli: AtomicU64::new(milli),
            due_ns: AtomicU64::new(now_ns.saturating_add(REFRESH_NS)),
        }
    }

    /// The CPUs that the process may use, as of the last second in which somebody asked. `now_ns` is from
    /// the same clock as at the start; it may be a little behind another caller's.
    pub(crate) fn get(&self, now_ns: u64) -> f64 {
        cpus(self.refresh(now_ns, || self.supply.available_milli()))
    }

    /// Relaxed throughout: the number is the whole message, and no other memory hangs on it. A reader that is
    /// off its CPU for more than a period may overwrite a newer answer with its own; the next one mends that.
    fn refresh(&self, now_ns: u64, read: impl FnOnce() -> u64) -> u64 {
        let due_ns = self.due_ns.load(Ordering::Relaxed);
        if now_ns < due_ns || !self.claim(due_ns, now_ns) {
            return self.milli.load(Ordering::Relaxed);
        }
        let milli = read();
        self.milli.store(milli, Ordering::Relaxed);
        milli
    }

    /// Whether the caller is the one that reads: the first to move the time on.
    fn claim(&self, due_ns: u64, now_ns: u64) -> bool {
        let next_ns = now_ns.saturating_add(REFRESH_NS);
        self.due_ns
            .compare_exchange(due_ns, next_ns, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    const START_NS: u64 = 5;
    const DUE_NS: u64 = START_NS + REFRESH_NS;

    fn follower(milli: u64) -> Follower {
        Follower {
            supply: Supply { mounts: Vec::new() },
            milli: AtomicU64::new(milli),
            due_ns: AtomicU64::new(DUE_NS),
        }
    }

    fn unasked() -> u64 {
        panic!("nobody is to read now")
    }

    #[test]
    fn a_second_passes_between_readings() {
        let follower = follower(1500);
        assert_eq!(follower.refresh(DUE_NS - 1, unasked), 1500);
        assert_eq!(follower.refresh(DUE_NS, || 700), 700);
        assert_eq!(follower.refresh(DUE_NS, unasked), 700);
        // Another thread's clock reading may be older than the one that moved the time on.
        assert_eq!(follower.refresh(0, unasked), 700);
        assert_eq!(follower.refresh(DUE_NS + REFRESH_NS - 1, unasked), 700);
        // Nobody asked for long: one reading, not one per missed second.
        assert_eq!(follower.refresh(DUE_NS + 100 * REFRESH_NS, || 200), 200);
        assert_eq!(follower.refresh(DUE_NS + 100 * REFRESH_NS, unasked), 200);
    }

    #[test]
    fn while_one_reads_the_others_see_the_earlier_answer() {
        let follower = follower(1500);
        let (reading, seen) = (Barrier::new(2), Barrier::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                follower.refresh(DUE_NS, || {
                    reading.wait();
                    seen.wait();
                    700
                })
            });
            reading.wait();
            assert_eq!(follower.refresh(DUE_NS, unasked), 1500);
            seen.wait();
        });
        assert_eq!(follower.refresh(DUE_NS, unasked), 700);
    }

    #[test]
    fn of_many_at_once_one_reads() {
        const THREADS: usize = 8;
        let follower = follower(1500);
        let (readings, together) = (AtomicU64::new(0), Barrier::new(THREADS));
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    together.wait();
                    follower.refresh(DUE_NS, || readings.fetch_add(1, Ordering::Relaxed))
                });
            }
        });
        assert_eq!(readings.into_inner(), 1);
    }

    #[test]
    fn the_end_of_time_is_no_panic() {
        let follower = follower(1500);
        assert_eq!(follower.refresh(u64::MAX, || 700), 700);
    }

    #[test]
    fn it_starts_with_what_the_supply_says() {
        let follower = Follower::start(START_NS);
        assert!((follower.get(START_NS) - Supply::find().available()).abs() < 1e-9);
        assert!((follower.get(DUE_NS) - Supply::find().available()).abs() < 1e-9);
    }
}
