//! Measures some of a session's requests, so that the others cost nothing.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::class::{Class, Costs, learned};
use crate::gate::Work;
use crate::sys::{self, ThreadTimes};

/// Of so many requests one is timed, which takes a reading of the clock,
const TIMED: u32 = 4;
/// its CPU time is read of one in so many, which takes a system call at either end,
const CLOSE: u32 = 64;
/// and of one in so many what it waited for, which takes reading a file. But the first ones all are looked at, to learn
/// soon.
const CLOSEST: u32 = 256;
const FIRST: u32 = 8;

/// Sessions of a process that read their accounts of time: each of them keeps a file open for that.
const SCOUTS: usize = 64;
static SCOUTS_OUT: AtomicUsize = AtomicUsize::new(0);

/// One per session.
#[derive(Debug)]
pub(crate) struct Sampler {
    requests: u32,
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
        if !self.is_one_in(CLOSE) {
            return false;
        }
        self.open = cpu_ns().map(|cpu_ns| Sample {
            class,
            start_ns: sys::monotonic_ns(),
            cpu_ns,
            times: self.is_one_in(CLOSEST).then(|| self.times()).flatten(),
        });
        true
    }

    /// The request that began at `began` is done. Gives what was measured, if it was.
    pub(crate) fn stop(&mut self, began: u64, costs: &Costs) -> Option<Work> {
        let sample = self.open.take();
        if sample.is_none() && !self.requests.is_multiple_of(TIMED) {
            return None;
        }
        let now = sys::monotonic_ns();
        let mut work = Work {
            timed: 1,
            timed_ns: now.saturating_sub(began),
            ..Work::default()
        };
        if let Some(sample) = sample
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
        Some(work)
    }

    /// Learns from a stretch of work that took `ns` of CPU, and gives what they usually take.
    pub(crate) fn learn_bare(&mut self, ns: u64) -> u64 {
        self.own_cost = learned(self.own_cost, ns);
        self.own_cost
    }

    fn is_one_in(&self, many: u32) -> bool {
        self.requests <= FIRST || self.requests.is_multiple_of(many)
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

/// CPU time of the calling thread.
pub(crate) fn cpu_ns() -> Option<u64> {
    let time = sys::thread_cpu_time().ok()?;
    u64::try_from(time.as_nanos()).ok()
}
