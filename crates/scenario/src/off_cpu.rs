//! Where threads of a server were while they were not on a CPU, told by the scheduler's own events.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::choices::choices;

choices! {
    /// Why a thread was off the CPU.
    Cause: "cause of off-CPU time" {
        /// It called `sched_yield`. One call can be several times off the CPU.
        Yield = "yield",
        /// It slept for a set time.
        Park = "park",
        /// It waited for bytes or connections.
        Receive = "receive",
        /// It waited for another thread: a mutex, a condition variable.
        Lock = "lock",
        /// The CPU was taken from it, also on its way out of a call: where preemption is lazy (Linux 6.13 and later), a
        /// thread that comes back from a yield often gets no further than to that, and the program takes the time for
        /// that of its call.
        Preempted = "preempted",
        /// Anything else that blocks: sending, a disk, a page fault.
        Other = "other",
    }
}

choices! {
    /// What a thread is there for, by its name and process.
    ThreadKind: "kind of thread" {
        /// The server's thread of one connection.
        Connection = "connections",
        /// The server's background thread that does what updates leave behind.
        Leftovers = "leftovers",
        /// The server's background thread that walks through everything.
        Patrol = "patrol",
        /// Any other thread of the server.
        Server = "server",
        /// The load client.
        Client = "client",
        /// A thread of the kernel.
        Kernel = "kernel",
        /// The CPU had nothing to do.
        Idle = "idle",
        /// Anybody else.
        Other = "others",
    }
}

/// Off-CPU time of a server's threads between two moments, and who ran instead.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OffCpu {
    /// Time between the first and the last event.
    pub window_us: f64,
    /// Events that the kernel had no room for: above 0, the times below are those of a part of the window.
    pub lost_events: u64,
    /// Connection threads that were seen, those of the client's readings of the server's status among them.
    pub connections: u64,
    /// Time that all connection threads together spent on a CPU.
    pub on_cpu_us: f64,
    /// Time that all connection threads together spent off it, by cause; a cause that did not occur is absent.
    pub by_cause: BTreeMap<Cause, OffTime>,
    /// Who ran on the CPU of a connection thread while that was off it in `sched_yield`, longest first. A moment in
    /// which several of them waited for the same CPU counts once for each, so that the sum is that cause's time.
    pub ran_meanwhile: Vec<(ThreadKind, f64)>,
    /// Every thread of the server that was seen, by its number.
    pub threads: Vec<ThreadOffCpu>,
}

/// Time off the CPU for one cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OffTime {
    /// Number of times that it happened.
    pub times: u64,
    /// Total time.
    pub us: f64,
    /// The part of it in which the thread could have run and waited for a CPU: all of it for a yield, and what came
    /// after the wake-up for a thread that slept.
    pub runnable_us: f64,
}

/// One thread's time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadOffCpu {
    /// The kernel's number of the thread.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// What it is there for.
    pub kind: ThreadKind,
    /// Time on a CPU.
    pub on_cpu_us: f64,
    /// Time off it, by cause.
    pub by_cause: BTreeMap<Cause, OffTime>,
}

impl OffCpu {
    /// Time of all connection threads together, on a CPU and off it.
    #[must_use]
    pub fn total_us(&self) -> f64 {
        let off: f64 = self.by_cause.values().map(|time| time.us).sum();
        self.on_cpu_us + off
    }

    /// Time off the CPU for `cause`, as a share of [`Self::total_us`]; none if no connection thread was seen.
    #[must_use]
    pub fn share(&self, cause: Cause) -> Option<f64> {
        let us = self.by_cause.get(&cause).map_or(0.0, |time| time.us);
        self.share_of_total(us)
    }

    /// Time on a CPU, as a share of [`Self::total_us`]; none if no connection thread was seen.
    #[must_use]
    pub fn on_cpu_share(&self) -> Option<f64> {
        self.share_of_total(self.on_cpu_us)
    }

    fn share_of_total(&self, us: f64) -> Option<f64> {
        let total = self.total_us();
        (total > 0.0).then(|| us / total)
    }
}

impl OffTime {
    /// Mean time off the CPU each time; none if it did not happen.
    #[must_use]
    pub fn mean_us(&self) -> Option<f64> {
        (self.times > 0).then(|| self.us / self.times as f64)
    }

    /// Adds what another thread, or the same one at another time, spent for the same cause.
    pub fn add(&mut self, other: Self) {
        self.times += other.times;
        self.us += other.us;
        self.runnable_us += other.runnable_us;
    }
}
