use std::collections::BTreeMap;

use scenario::{Cause, OffCpu, ThreadKind};

use super::{
    line::{Event, Line, Task, What, parse},
    threads::Threads,
    tracked::Tracked,
};

/// Reads a trace line by line and keeps account of where the server's threads are.
///
/// ```
/// use scenario::{Cause, ThreadKind};
/// use testbed::trace::{Attribution, Threads};
///
/// let threads = Threads { server: [7, 8].into(), ..Threads::default() };
/// let mut attribution = Attribution::new(threads);
/// for line in [
///     "conn-7   [000] ..... 1.000000: sys_sched_yield()",
///     "conn-7   [000] d..2. 1.000001: sched_switch: prev_comm=conn prev_pid=7 prev_prio=120 prev_state=R \
///      ==> next_comm=patrol next_pid=8 next_prio=120",
///     "patrol-8 [000] d..2. 1.000701: sched_switch: prev_comm=patrol prev_pid=8 prev_prio=120 prev_state=R \
///      ==> next_comm=conn next_pid=7 next_prio=120",
/// ] {
///     attribution.read(line);
/// }
/// let off_cpu = attribution.finish();
/// assert_eq!(off_cpu.by_cause[&Cause::Yield].us, 700.0);
/// assert_eq!(off_cpu.ran_meanwhile, [(ThreadKind::Patrol, 700.0)]);
/// ```
#[derive(Clone, Debug)]
pub struct Attribution {
    threads: Threads,
    tracked: BTreeMap<u32, Tracked>,
    cpus: BTreeMap<u32, Cpu>,
    ran_meanwhile: BTreeMap<ThreadKind, u64>,
    window: Option<(u64, u64)>,
    /// Events that the kernel said it lost, and those that it wrote over.
    lost: u64,
    overwritten: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cpu {
    /// Unknown until its first switch.
    running: Option<ThreadKind>,
    /// Up to when its time is booked.
    since: u64,
    /// Connection threads that left it in `sched_yield` and have not come back.
    yielders: u64,
}

impl Attribution {
    /// An account for a trace that was taken while these threads were there.
    #[must_use]
    pub fn new(threads: Threads) -> Self {
        Self {
            threads,
            tracked: BTreeMap::new(),
            cpus: BTreeMap::new(),
            ran_meanwhile: BTreeMap::new(),
            window: None,
            lost: 0,
            overwritten: 0,
        }
    }

    /// Takes the next line into account.
    pub fn read(&mut self, line: &str) {
        match parse(line) {
            Line::Event(event) => self.take(event),
            Line::Lost(count) => {
                self.lost = self.lost.saturating_add(count.unwrap_or(1));
                self.forget();
            }
            Line::Entries { kept, written } => self.overwritten = written.saturating_sub(kept),
            Line::Other => {}
        }
    }

    /// The result. What has not ended ends with the last event.
    #[must_use]
    pub fn finish(mut self) -> OffCpu {
        let (start, end) = self.window.unwrap_or_default();
        let cpus: Vec<_> = self.cpus.keys().copied().collect();
        for cpu in cpus {
            self.book(cpu, end);
        }
        let mut ran_meanwhile: Vec<_> = self
            .ran_meanwhile
            .into_iter()
            .map(|(kind, us)| (kind, us as f64))
            .collect();
        ran_meanwhile.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let mut off_cpu = OffCpu {
            window_us: end.saturating_sub(start) as f64,
            // The head of a trace counts the events that its gaps are made of as well.
            lost_events: self.lost.max(self.overwritten),
            ran_meanwhile,
            threads: self
                .tracked
                .into_iter()
                .filter_map(|(tid, thread)| thread.finish(tid, end))
                .collect(),
            ..OffCpu::default()
        };
        let connections = off_cpu
            .threads
            .iter()
            .filter(|thread| thread.kind == ThreadKind::Connection);
        for thread in connections {
            off_cpu.connections += 1;
            off_cpu.on_cpu_us += thread.on_cpu_us;
            for (cause, time) in &thread.by_cause {
                off_cpu.by_cause.entry(*cause).or_default().add(*time);
            }
        }
        off_cpu
    }

    fn take(&mut self, mut event: Event<'_>) {
        // The kernel sorts events by time. Should one come late all the same, its order is right and its time is not.
        let (start, end) = self.window.unwrap_or((event.at_us, event.at_us));
        event.at_us = event.at_us.max(end);
        self.window = Some((start, event.at_us));
        match event.what {
            What::Switch {
                prev,
                runnable,
                dead,
                next,
            } => {
                self.book(event.cpu, event.at_us);
                self.switch_out(event, prev, runnable, dead);
                self.switch_in(event, next);
            }
            What::Wakeup(tid) => {
                if let Some(thread) = self.tracked.get_mut(&tid) {
                    thread.wake_up(event.at_us);
                }
            }
            What::Enter(call) => {
                if let Some(thread) = self.thread(event.tid) {
                    thread.enter(call);
                }
            }
            What::Exit(_) => {
                if let Some(thread) = self.thread(event.tid) {
                    thread.exit();
                }
            }
        }
    }

    fn switch_out(&mut self, event: Event<'_>, task: Task<'_>, runnable: bool, dead: bool) {
        let kind = self.threads.kind(task.tid, task.name);
        let Some(thread) = self.thread(task.tid) else {
            return;
        };
        thread.is(task.name, kind);
        if dead {
            thread.end(event.at_us);
        } else if thread.switch_out(event.at_us, event.cpu, runnable) == Cause::Yield
            && kind == ThreadKind::Connection
            && let Some(cpu) = self.cpus.get_mut(&event.cpu)
        {
            cpu.yielders += 1;
        }
    }

    fn switch_in(&mut self, event: Event<'_>, task: Task<'_>) {
        let kind = self.threads.kind(task.tid, task.name);
        if let Some(thread) = self.thread(task.tid) {
            let was = thread.kind();
            let ended = thread.switch_in(event.at_us);
            thread.is(task.name, kind);
            if let Some(away) = ended
                && away.cause == Cause::Yield
                && was == Some(ThreadKind::Connection)
            {
                // Not always the CPU that it comes back to.
                self.book(away.cpu, event.at_us);
                if let Some(cpu) = self.cpus.get_mut(&away.cpu) {
                    cpu.yielders = cpu.yielders.saturating_sub(1);
                }
            }
        }
        if let Some(cpu) = self.cpus.get_mut(&event.cpu) {
            cpu.running = Some(kind);
        }
    }

    /// The account of a thread, if it is the server's.
    fn thread(&mut self, tid: u32) -> Option<&mut Tracked> {
        self.threads
            .server
            .contains(&tid)
            .then(|| self.tracked.entry(tid).or_default())
    }

    /// Books the time of `cpu` up to `at`.
    fn book(&mut self, cpu: u32, at: u64) {
        let cpu = self.cpus.entry(cpu).or_default();
        let passed = at.saturating_sub(cpu.since);
        if let Some(running) = cpu.running
            && cpu.yielders > 0
        {
            let booked = self.ran_meanwhile.entry(running).or_default();
            *booked = booked.saturating_add(passed.saturating_mul(cpu.yielders));
        }
        cpu.since = at;
    }

    /// Events are missing: of nobody it is known where it is.
    fn forget(&mut self) {
        self.cpus.clear();
        for thread in self.tracked.values_mut() {
            thread.forget();
        }
    }
}

#[cfg(test)]
mod tests;
