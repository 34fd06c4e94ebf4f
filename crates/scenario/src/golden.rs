//! What a scheduler makes of `sched_yield`, in two small experiments on one CPU: the same on every kernel, so that
//! kernels, and models of them, can be told apart by their numbers.

use serde::{Deserialize, Serialize};

use crate::{Host, choices::choices};

choices! {
    /// The threads beside the one that is measured. A hog never yields; all threads have the same weight.
    Company: "company" {
        /// None.
        Alone = "alone",
        /// One hog.
        OneHog = "1 hog",
        /// Three hogs.
        ThreeHogs = "3 hogs",
        /// One thread that does the same.
        OneYielder = "1 other yielder",
        /// Seven threads that do the same.
        SevenYielders = "7 other yielders",
        /// Three hogs and four threads that do the same.
        ThreeHogsFourPeers = "3 hogs + 4 peers",
    }
}

choices! {
    /// How a thread gives up its CPU.
    GiveUp: "way to give up the CPU" {
        /// Not at all.
        None = "none",
        /// `sched_yield`.
        Yield = "yield",
        /// A sleep of 1 ns, with a timer slack of 1 ns.
        Nap = "nap",
    }
}

impl Company {
    /// The companies in which yields are timed, in the order of the table.
    pub const OF_YIELDS: [Self; 5] = [
        Self::Alone,
        Self::OneHog,
        Self::ThreeHogs,
        Self::OneYielder,
        Self::SevenYielders,
    ];

    /// The companies in which working threads give up the CPU, in the order of the table.
    pub const OF_WORKERS: [Self; 2] = [Self::ThreeHogs, Self::ThreeHogsFourPeers];

    /// Number of hogs.
    #[must_use]
    pub const fn hogs(self) -> usize {
        match self {
            Self::Alone | Self::OneYielder | Self::SevenYielders => 0,
            Self::OneHog => 1,
            Self::ThreeHogs | Self::ThreeHogsFourPeers => 3,
        }
    }

    /// Number of other threads that do the same as the one that is measured.
    #[must_use]
    pub const fn peers(self) -> usize {
        match self {
            Self::Alone | Self::OneHog | Self::ThreeHogs => 0,
            Self::OneYielder => 1,
            Self::ThreeHogsFourPeers => 4,
            Self::SevenYielders => 7,
        }
    }
}

/// Both experiments on one kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoldenProbe {
    /// The kernel.
    pub host: Host,
    /// Length of each row's measurement, in seconds.
    pub seconds: f64,
    /// Threads that yield in a tight loop, one row per company in [`Company::OF_YIELDS`].
    pub yields: Vec<YieldRow>,
    /// Threads that work for 100 us and then give up the CPU: each way to, in each of [`Company::OF_WORKERS`].
    pub give_up: Vec<GiveUpRow>,
}

/// One thread that yields in a tight loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct YieldRow {
    /// The threads beside it.
    pub company: Company,
    /// Yields.
    pub yields: u64,
    /// Those of them in which the thread was switched out.
    pub switched: u64,
    /// Mean time of a yield.
    pub mean_us: f64,
    /// Median.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// Longest yield.
    pub max_us: f64,
    /// The thread's part of the CPU time of all threads of the experiment, 0 to 1.
    pub share: f64,
}

/// One thread that works and then gives up the CPU, again and again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GiveUpRow {
    /// The threads beside it.
    pub company: Company,
    /// How it gives up the CPU; its peers do the same.
    pub give_up: GiveUp,
    /// Pieces of work done, per second.
    pub ops_per_s: f64,
    /// Times the thread was switched out while it gave up the CPU, per piece of work.
    pub switched_per_op: f64,
    /// Mean time in which it gave up the CPU; 0 where it never did.
    pub mean_wait_us: f64,
    /// Longest of them.
    pub max_wait_us: f64,
    /// The thread's part of the CPU time of all threads of the experiment, 0 to 1.
    pub share: f64,
}
