//! Measures some of a session's requests, so that the others cost nothing.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::class::{Class, Costs, learned};
use crate::gate::Work;
use crate::sys::{self, ThreadTimes};

/// Of so many requests one is timed, which takes a reading of the clock (17 ns),
const TIMED: u64 = 4;
/// its CPU time is read of one in so many, which takes a system call at either end (170 ns each),
const CLOSE: u64 = 256;
/// and of one in so many what it waited for, which takes reading a file (400 ns). But the first ones all are looked at,
/// to learn soon.
const CLOSEST: u64 = 512;
const FIRST: u32 = 8;

/// Sessions of a process that read their accounts of time: each of them keeps a file open for that.
const SCOUTS: usize = 64;
static SCOUTS_OUT: AtomicUsize = AtomicUsize::new(0);

/// Sessions so far: each draws other requests.
static SEEDS: AtomicU64 = AtomicU64::new(0);

/// One per session.
#[derive(Debug)]
pub(crate) struct Sampler {
    requests: u32,
    dice: Dice,
    /// What requests without a class took, in ns of CPU.
    own_cost: u64,
    scout: bool,
    open: Option<Sample>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    class: Class,
    start_ns: u64,
    cpu_ns: u64,
    times: Option<ThreadTimes>,
}

impl Sampler {
    pub(crate) fn new() -> Self {
        let scout = SCOUTS_OUT.fetch_add(1, Relaxed) < SCOUTS;
        if !scout {
            SCOUTS_OUT.fetch_sub(1, Relaxed);
        }
        Self {
            requests: 0,
            dice: Dice(SEEDS.fetch_add(1, Relaxed)),
            own_cost: 0,
            scout,
            open: None,
        }
    }

    /// What a request of the class is expected to take.
    pub(crate) fn expected(&self, class: Class, costs: &Costs) -> u64 {
        costs.expected(class, self.own_cost)
    }

    /// A request is let go. Gives whether it is one to look at closely.
    pub(crate) fn start(&mut self, class: Class) -> bool {
        self.requests = self.requests.wrapping_add(1);
        self.dice.roll();
        if !self.is_one_in(CLOSE) {
            return false;
        }
        self.look_closely(class);
        true
    }

    #[cold]
    fn look_closely(&mut self, class: Class) {
        self.open = cpu_ns().map(|cpu_ns| Sample {
            class,
            start_ns: sys::monotonic_ns(),
            cpu_ns,
            times: self.is_one_in(CLOSEST).then(|| self.times()).flatten(),
        });
    }

    /// The request that began at `began` is done. Gives what was measured, if it was.
    pub(crate) fn stop(&mut self, began: u64, costs: &Costs) -> Option<Work> {
        if self.open.is_none() && !self.dice.is_one_in(TIMED) {
            return None;
        }
        Some(self.measure(began, costs))
    }

    fn measure(&mut self, began: u64, costs: &Costs) -> Work {
        let now = sys::monotonic_ns();
        let mut work = Work {
            timed: 1,
            timed_ns: now.saturating_sub(began),
            ..Work::default()
        };
        if let Some(sample) = self.open.take()
            && let Some(cpu_ns) = cpu_ns()
        {
            let cpu_ns = cpu_ns.saturating_sub(sample.cpu_ns);
            costs.learn(sample.class, cpu_ns);
            self.own_cost = learned(self.own_cost, cpu_ns);
            if let Some(before) = sample.times
                && let Some(after) = self.times()
            {
                work.wall_ns = now.saturating_sub(sample.start_ns);
                work.cpu_ns = cpu_ns;
                work.delay_ns = after.run_delay_ns.saturating_sub(before.run_delay_ns);
            }
        }
        work
    }

    /// Learns from a stretch of work that took `ns` of CPU, and gives what they usually take.
    pub(crate) fn learn_bare(&mut self, ns: u64) -> u64 {
        self.own_cost = learned(self.own_cost, ns);
        self.own_cost
    }

    fn is_one_in(&self, many: u64) -> bool {
        self.requests <= FIRST || self.dice.is_one_in(many)
    }

    fn times(&self) -> Option<ThreadTimes> {
        if self.scout { sys::thread_times() } else { None }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        if self.scout {
            SCOUTS_OUT.fetch_sub(1, Relaxed);
        }
    }
}

/// Decides which requests are measured. By chance, since requests often come by turns: of reads and updates in turn,
/// every 256th is always the same.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    /// A linear congruential generator with Knuth's constants (The Art of Computer Programming, 3.3.4): one
    /// multiplication, and its high bits are good.
    fn roll(&mut self) {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
    }

    /// True for one roll in `many`. What is one in many is also one in fewer.
    const fn is_one_in(&self, many: u64) -> bool {
        self.0 < u64::MAX / many
    }
}

/// CPU time of the calling thread.
pub(crate) fn cpu_ns() -> Option<u64> {
    let time = sys::thread_cpu_time().ok()?;
    u64::try_from(time.as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_come_by_turns_are_drawn_alike() {
        const ROLLS: usize = 1 << 17;

        let mut dice = Dice(1);
        let mut drawn = [0_u64; 2];
        for turn in 0..ROLLS {
            dice.roll();
            if dice.is_one_in(CLOSE) {
                assert!(dice.is_one_in(TIMED));
                drawn[turn % 2] += 1;
            }
        }
        // 256 each, give or take.
        assert!(drawn.iter().all(|drawn| (180..340).contains(drawn)), "{drawn:?}");
    }

    #[test]
    fn the_first_requests_all_are_measured_and_few_later_ones() {
        const REQUESTS: usize = 10_000;

        let (mut sampler, costs) = (Sampler::new(), Costs::default());
        let measured: Vec<bool> = (0..REQUESTS)
            .map(|_| {
                sampler.start(Class::Unknown);
                sampler.stop(sys::monotonic_ns(), &costs).is_some()
            })
            .collect();
        assert!(measured[..FIRST as usize].iter().all(|&measured| measured));
        let many = measured.iter().filter(|&&measured| measured).count();
        assert!((REQUESTS / 5..REQUESTS / 3).contains(&many), "{many}");
    }
}
