//! How soon threads that wait for each other in a loop get on, by three ways to wait.

use serde::{Deserialize, Serialize};

use crate::{Host, choices::choices};

choices! {
    /// Threads that wait for each other, over and over.
    Meeting: "meeting" {
        /// Two threads on one CPU pass a turn to and fro.
        PingPong = "ping-pong on 1 CPU",
        /// Four threads on two CPUs meet at a barrier.
        FourOnTwo = "barrier of 4 on 2 CPUs",
        /// Two threads on two CPUs meet at a barrier.
        TwoOnTwo = "barrier of 2 on 2 CPUs",
    }
}

choices! {
    /// How a thread waits for a word in memory to change.
    WaitBy: "way to wait" {
        /// A loop of `cede::yield_now`.
        Cede = "cede",
        /// A loop of `sched_yield(2)`.
        Yield = "yield",
        /// futex(2): who changes the word wakes those who wait.
        Futex = "futex",
    }
}

impl Meeting {
    /// Number of threads.
    #[must_use]
    pub const fn threads(self) -> usize {
        match self {
            Self::PingPong | Self::TwoOnTwo => 2,
            Self::FourOnTwo => 4,
        }
    }

    /// Number of CPUs that they share.
    #[must_use]
    pub const fn cpus(self) -> usize {
        match self {
            Self::PingPong => 1,
            Self::FourOnTwo | Self::TwoOnTwo => 2,
        }
    }
}

/// All meetings on one kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpinProbe {
    /// The kernel.
    pub host: Host,
    /// Passes that were wanted of each row.
    pub passes: u64,
    /// Time after which a row ends with fewer, in seconds.
    pub limit_s: f64,
    /// Each meeting that there are CPUs for, without and with busy neighbours, by each way to wait.
    pub rows: Vec<SpinRow>,
}

/// One meeting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpinRow {
    /// The threads.
    pub meeting: Meeting,
    /// Whether each of the CPUs also has a thread that is always busy and never yields.
    pub busy: bool,
    /// How they wait.
    pub wait_by: WaitBy,
    /// Passes that were made. A pass is over when each thread has been waited for once.
    pub passes: u64,
    /// Mean time of a pass.
    pub us_per_pass: f64,
    /// CPU time of a pass, of all the threads that meet.
    pub cpu_us_per_pass: f64,
    /// How much longer a pass takes than by the faster of the two other ways.
    pub ratio: f64,
}
