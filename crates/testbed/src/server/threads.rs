//! What a group of threads has used, counted by the kernel.

use std::{
    collections::HashMap,
    fs,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use rustix::thread::gettid;

/// A group of threads of which each stays until it ends.
#[derive(Debug, Default)]
pub struct ThreadUsage {
    group: Mutex<Group>,
}

#[derive(Debug, Default)]
struct Group {
    running: HashMap<i32, Instant>,
    ended: Usage,
}

/// What threads have used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time since they joined the group.
    pub wall: Duration,
    /// CPU time.
    pub cpu: Duration,
    /// Time that they were ready to run and had no CPU.
    pub run_delay: Duration,
    /// Context switches because the thread blocked.
    pub voluntary: u64,
    /// Context switches because the thread was preempted or yielded.
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
        self.locked(|group| group.running.insert(tid, Instant::now()));
        Membership {
            usage: Arc::clone(self),
            tid,
        }
    }

    /// The use of all threads of the group so far, also of those that have ended.
    #[must_use]
    pub fn total(&self) -> Usage {
        self.locked(|group| {
            group.running.iter().fold(group.ended, |total, (&tid, &since)| {
                total.plus(Usage::of(tid, since))
            })
        })
    }

    fn locked<T>(&self, with: impl FnOnce(&mut Group) -> T) -> T {
        with(&mut self.group.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.usage.locked(|group| {
            if let Some(since) = group.running.remove(&self.tid) {
                group.ended = group.ended.plus(Usage::of(self.tid, since));
            }
        });
    }
}

impl Usage {
    /// Reads one thread's use from /proc; what cannot be read counts as none.
    fn of(tid: i32, since: Instant) -> Self {
        let read =
            |file: &str| fs::read_to_string(format!("/proc/self/task/{tid}/{file}")).unwrap_or_default();
        let (cpu, run_delay) = parse_schedstat(&read("schedstat"));
        let status = read("status");
        Self {
            wall: since.elapsed(),
            cpu,
            run_delay,
            voluntary: status_field(&status, "voluntary_ctxt_switches:"),
            involuntary: status_field(&status, "nonvoluntary_ctxt_switches:"),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            wall: self.wall + other.wall,
            cpu: self.cpu + other.cpu,
            run_delay: self.run_delay + other.run_delay,
            voluntary: self.voluntary + other.voluntary,
            involuntary: self.involuntary + other.involuntary,
        }
    }
}

/// CPU time and run delay: the first two fields, in ns (proc(5), kernel documentation "sched-stats").
fn parse_schedstat(text: &str) -> (Duration, Duration) {
    let mut fields = text
        .split_whitespace()
        .map(|field| Duration::from_nanos(field.parse().unwrap_or(0)));
    (
        fields.next().unwrap_or_default(),
        fields.next().unwrap_or_default(),
    )
}

fn status_field(status: &str, name: &str) -> u64 {
    status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|value| value.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_threads_stay_counted() {
        let usage = Arc::new(ThreadUsage::default());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _member = usage.enter();
                for _ in 0..5 {
                    std::thread::sleep(Duration::from_micros(100));
                }
            });
        });
        let total = usage.total();
        assert!(total.voluntary >= 5, "{total:?}");
        assert!(total.cpu > Duration::ZERO);
        assert_eq!(usage.total(), total, "nothing runs any more");
    }

    #[test]
    fn fields_are_read_by_name() {
        assert_eq!(
            parse_schedstat("10 20 3\n"),
            (Duration::from_nanos(10), Duration::from_nanos(20))
        );
        assert_eq!(parse_schedstat(""), (Duration::ZERO, Duration::ZERO));
        let status = "voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t9\n";
        assert_eq!(status_field(status, "voluntary_ctxt_switches:"), 7);
        assert_eq!(status_field(status, "nonvoluntary_ctxt_switches:"), 9);
    }
}
