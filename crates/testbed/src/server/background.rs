//! Threads that never yield, beside the connection threads, and the CPU work that they and the synthetic engine do.
//!
//! Both kinds run only while there are updates. One does the work that each update leaves behind (eviction, journal):
//! its amount follows the updates. The other patrols (checkpoint, cache walk): it does more when it gets more CPU, and
//! so takes share from threads that yield.

mod bell;
mod leftovers;
mod patrol;
mod work;

pub use leftovers::{Leftovers, LeftoversPlan};
pub use patrol::PatrolPlan;
pub use work::Work;
pub(crate) use work::thread_cpu;

use std::{sync::Arc, time::Duration};

use super::threads::ThreadUsage;

/// The scenario's background.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackgroundPlan {
    /// Work left behind by updates.
    pub leftovers: LeftoversPlan,
    /// The patrol; one thread per CPU.
    pub patrol: Option<PatrolPlan>,
    /// CPUs to patrol.
    pub cpus: u32,
}

/// The running background threads. Dropping it ends them.
#[derive(Debug)]
pub struct Background {
    leftovers: Arc<Leftovers>,
    threads: Vec<std::thread::JoinHandle<()>>,
    usage: Arc<ThreadUsage>,
}

impl Background {
    /// Starts the threads of `plan`.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn start(plan: BackgroundPlan, work: Work) -> std::io::Result<Self> {
        let leftovers = Arc::new(Leftovers::new(plan.leftovers, work));
        let mut background = Self {
            leftovers,
            threads: Vec::new(),
            usage: Arc::default(),
        };
        if plan.leftovers.per_update_us > 0.0 {
            let leftovers = Arc::clone(&background.leftovers);
            background.spawn("leftovers", move || leftovers.run())?;
        }
        if let Some(patrol) = plan.patrol {
            for _ in 0..plan.cpus {
                let leftovers = Arc::clone(&background.leftovers);
                background.spawn("patrol", move || patrol.run(&leftovers, work))?;
            }
        }
        Ok(background)
    }

    fn spawn(&mut self, name: &str, body: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let usage = Arc::clone(&self.usage);
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            let _counted = usage.enter();
            body();
        })?;
        self.threads.push(thread);
        Ok(())
    }

    /// Counts threads, given by their ids, that live as long as this does: those of a storage engine.
    pub(super) fn count(&self, threads: &[i32]) {
        for &thread in threads {
            self.usage.add(thread);
        }
    }

    /// What updates leave behind.
    #[must_use]
    pub fn leftovers(&self) -> &Leftovers {
        &self.leftovers
    }

    /// CPU time of all background threads so far.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        self.usage.cpu()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.leftovers.stop();
        for thread in self.threads.drain(..) {
            // A thread that panicked has printed why; there is nothing left to do for it.
            let _ended = thread.join();
        }
    }
}
