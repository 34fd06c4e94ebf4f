//! What a group of threads has used, counted by the kernel.

use std::{
    collections::BTreeMap,
    fs,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use rustix::thread::gettid;

/// Threads whose context switches are read at most: reading takes some 10 us of CPU for each, for which the reader, one
/// of thousands of threads that want the CPU, might wait for minutes.
const SAMPLE: usize = 128;

/// A group of threads of which each stays until it ends.
#[derive(Debug, Default)]
pub struct ThreadUsage {
    group: Mutex<Group>,
}

#[derive(Debug, Default)]
struct Group {
    /// By thread id, since when. In order, so that the same threads are sampled every time.
    running: BTreeMap<i32, Instant>,
    /// What threads had used when they ended.
    wall: Duration,
    cpu: Duration,
    switches: Switches,
}

/// Context switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// The thread blocked.
    pub voluntary: u64,
    /// The thread was preempted, or yielded to another.
    pub involuntary: u64,
}

/// Keeps the calling thread in its group.
#[derive(Debug)]
pub struct Membership {
    usage: Arc<ThreadUsage>,
    tid: i32,
}

impl ThreadUsage {
    /// Adds the calling thread to the group, until the result is dropped.
    #[must_use]
    pub fn enter(self: &Arc<Self>) -> Membership {
        let tid = gettid().as_raw_nonzero().get();
        self.add(tid);
        Membership {
            usage: Arc::clone(self),
            tid,
        }
    }

    /// Adds the thread `tid`, for good.
    pub(super) fn add(&self, tid: i32) {
        self.locked(|group| group.running.insert(tid, Instant::now()));
    }

    /// Time that all threads of the group have been in it, also those that have ended.
    #[must_use]
    pub fn wall(&self) -> Duration {
        self.locked(|group| {
            group
                .running
                .values()
                .fold(group.wall, |total, since| total + since.elapsed())
        })
    }

    /// CPU time of all threads of the group, also of those that have ended.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        self.locked(|group| {
            group
                .running
                .keys()
                .fold(group.cpu, |total, &tid| total + cpu(tid))
        })
    }

    /// Context switches of all threads of the group, also of those that have ended; with more than 128 running threads
    /// estimated from some of them.
    #[must_use]
    pub fn switches(&self) -> Switches {
        loop {
            let (ended, running) = self.members();
            let total = ended.plus(estimate(&running));
            // A thread that ended meanwhile is missing on both sides: it was not among the ended ones yet, and its
            // file was gone. Threads end once, so this does.
            if self.members().1 == running {
                return total;
            }
        }
    }

    /// What ended threads had used, and the running ones.
    fn members(&self) -> (Switches, Vec<i32>) {
        self.locked(|group| (group.switches, group.running.keys().copied().collect()))
    }

    fn locked<T>(&self, with: impl FnOnce(&mut Group) -> T) -> T {
        with(&mut self.group.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Context switches of threads that run, from some of them where there are many.
fn estimate(running: &[i32]) -> Switches {
    let step = running.len().div_ceil(SAMPLE).max(1);
    let sample = running
        .iter()
        .step_by(step)
        .map(|&tid| switches(tid))
        .fold(Switches::default(), Switches::plus);
    let sampled = running.len().div_ceil(step).max(1) as u64;
    sample.scaled(running.len() as u64, sampled)
}

impl Drop for Membership {
    fn drop(&mut self) {
        let (cpu, switches) = (cpu(self.tid), switches(self.tid));
        self.usage.locked(|group| {
            if let Some(since) = group.running.remove(&self.tid) {
                group.wall += since.elapsed();
                group.cpu += cpu;
                group.switches = group.switches.plus(switches);
            }
        });
    }
}

impl Switches {
    fn plus(self, other: Self) -> Self {
        Self {
            voluntary: self.voluntary + other.voluntary,
            involuntary: self.involuntary + other.involuntary,
        }
    }

    fn scaled(self, whole: u64, part: u64) -> Self {
        Self {
            voluntary: self.voluntary.saturating_mul(whole) / part,
            involuntary: self.involuntary.saturating_mul(whole) / part,
        }
    }
}

/// Reads one of a thread's files; a thread that has just ended has used nothing.
fn read(tid: i32, file: &str) -> String {
    fs::read_to_string(format!("/proc/self/task/{tid}/{file}")).unwrap_or_default()
}

/// The first field of schedstat, in ns (proc(5), kernel documentation "sched-stats").
fn cpu(tid: i32) -> Duration {
    let text = read(tid, "schedstat");
    Duration::from_nanos(
        text.split_whitespace()
            .next()
            .and_then(|field| field.parse().ok())
            .unwrap_or(0),
    )
}

fn switches(tid: i32) -> Switches {
    parse_switches(&read(tid, "status"))
}

fn parse_switches(status: &str) -> Switches {
    let field = |name| {
        let value = status.lines().find_map(|line| line.strip_prefix(name));
        value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
    };
    Switches {
        voluntary: field("voluntary_ctxt_switches:"),
        involuntary: field("nonvoluntary_ctxt_switches:"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    fn sleep_five_times() {
        for _ in 0..5 {
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    #[test]
    fn ended_threads_stay_counted() {
        let usage = Arc::new(ThreadUsage::default());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _member = usage.enter();
                sleep_five_times();
            });
        });
        let switches = usage.switches();
        assert!(switches.voluntary >= 5, "{switches:?}");
        assert!(usage.cpu() > Duration::ZERO && usage.wall() >= Duration::from_micros(500));
        assert_eq!(
            (usage.switches(), usage.wall()),
            (switches, usage.wall()),
            "nothing runs any more"
        );
    }

    #[test]
    fn many_threads_are_estimated_from_some() {
        const THREADS: usize = 3 * SAMPLE + 1;
        let usage = Arc::new(ThreadUsage::default());
        let (slept, counted) = (Barrier::new(THREADS + 1), Barrier::new(THREADS + 1));
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    let _member = usage.enter();
                    sleep_five_times();
                    slept.wait();
                    counted.wait();
                });
            }
            slept.wait();
            let estimate = usage.switches().voluntary;
            counted.wait();
            assert!(estimate >= 5 * THREADS as u64, "{estimate}");
        });
        assert!(usage.switches().voluntary >= 5 * THREADS as u64);
    }

    #[test]
    fn fields_are_read_by_name() {
        let status = "voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t9\n";
        assert_eq!(
            parse_switches(status),
            Switches {
                voluntary: 7,
                involuntary: 9
            }
        );
        assert_eq!(parse_switches(""), Switches::default());
    }
}
