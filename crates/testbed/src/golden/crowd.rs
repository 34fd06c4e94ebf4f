use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

use cede::{Domain, Policy, Snapshot};
use scenario::Company;

use crate::{
    native::CpuList,
    server::background::{Work, thread_cpu},
    start_gate::StartGate,
};

/// How long a hog goes on past the window if nobody tells it to end: longer than any last yield was seen to take
/// (0.6 s on Linux 6.17.8), because a hog that ends early would cut it short.
const HOG_LIMIT: Duration = Duration::from_secs(2);
/// What a hog does between two looks at the clock: long enough to make them rare, short against a slice.
const HOG_WORK_US: f64 = 5.0;

/// One CPU and the time for which threads share it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd<'a> {
    pub(super) cpu: &'a CpuList,
    pub(super) window: Duration,
    pub(super) work: Work,
}

/// What a thread that is no hog does, over and over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// First it works for so long, in us of CPU.
    pub(super) work_us: f64,
    /// Then it offers its CPU under this policy.
    pub(super) policy: Policy,
}

/// What came of the first thread that is no hog.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) counted: Snapshot,
    /// The longest time inside one yield point.
    pub(super) longest: Duration,
    /// From the common start to this thread's end.
    pub(super) elapsed: Duration,
    /// CPU time of this thread.
    cpu: Duration,
    /// CPU time of all threads.
    cpu_of_all: Duration,
}

impl Measured {
    /// The thread's part of the CPU time of all. Other load on the CPU takes from all alike, so this is not moved by
    /// it as a part of the wall-clock time would be.
    pub(super) fn share(&self) -> f64 {
        super::ratio(self.cpu.as_secs_f64(), self.cpu_of_all.as_secs_f64())
    }
}

impl Crowd<'_> {
    /// Has one thread do `task` in `company`, for the length of the window.
    ///
    /// The threads that do the task look at the clock themselves. One that hardly gets any CPU still ends: hogs leave
    /// it the CPU once the first thread is done, or at the latest at a time of their own.
    pub(super) fn run(&self, company: Company, task: Task) -> io::Result<Measured> {
        let (gate, done) = (StartGate::default(), AtomicBool::new(false));
        thread::scope(|scope| {
            let start = || {
                let named = |name: &str| thread::Builder::new().name(name.to_owned());
                let first =
                    named("golden-first").spawn_scoped(scope, || self.first(task, &gate, Done(&done)))?;
                let mut others = Vec::new();
                for _ in 0..company.peers() {
                    others.push(
                        named("golden-peer")
                            .spawn_scoped(scope, || self.take_part(task, &gate).map(|it| it.cpu))?,
                    );
                }
                for _ in 0..company.hogs() {
                    others.push(named("golden-hog").spawn_scoped(scope, || self.hog(&gate, &done))?);
                }
                io::Result::Ok((first, others))
            };
            let (first, others) = start().inspect_err(|_| gate.call_off())?;
            gate.open(1 + others.len());
            let first = join(first);
            let mut cpu_of_others = Duration::ZERO;
            for other in others {
                cpu_of_others += join(other)?;
            }
            let first = first?;
            Ok(Measured {
                cpu_of_all: first.cpu + cpu_of_others,
                ..first
            })
        })
    }

    /// The thread that is measured. The hogs end when it does, however it does.
    fn first(&self, task: Task, gate: &StartGate, _done: Done<'_>) -> io::Result<Measured> {
        self.take_part(task, gate)
    }

    fn take_part(&self, task: Task, gate: &StartGate) -> io::Result<Measured> {
        let mut session = Domain::new(task.policy).session();
        let (start, cpu_before) = self.enter(gate)?;
        let mut longest = Duration::ZERO;
        loop {
            self.work.run(task.work_us);
            longest = longest.max(session.yield_point().inside);
            // Last: a thread that got its CPU after the window only still has something to tell.
            if start.elapsed() >= self.window {
                break;
            }
        }
        let cpu = thread_cpu().saturating_sub(cpu_before);
        Ok(Measured {
            counted: session.counters(),
            longest,
            elapsed: start.elapsed(),
            cpu,
            cpu_of_all: cpu,
        })
    }

    fn hog(&self, gate: &StartGate, done: &AtomicBool) -> io::Result<Duration> {
        let (start, cpu_before) = self.enter(gate)?;
        while !done.load(Ordering::Relaxed) && start.elapsed() < self.window + HOG_LIMIT {
            self.work.run(HOG_WORK_US);
        }
        Ok(thread_cpu().saturating_sub(cpu_before))
    }

    /// Binds the calling thread to the CPU and waits for the others; returns the common start and the CPU time that the
    /// thread has used before it.
    fn enter(&self, gate: &StartGate) -> io::Result<(Instant, Duration)> {
        let bound = self.cpu.bind();
        // Also after a failure: the gate waits for every thread that was started.
        let start = gate.pass();
        bound?;
        let start = start.ok_or_else(|| io::Error::other("another thread could not be started"))?;
        Ok((start, thread_cpu()))
    }
}

/// Tells the hogs to end when it is dropped.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn join<T>(thread: ScopedJoinHandle<'_, io::Result<T>>) -> io::Result<T> {
    thread
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("a thread of the probe panicked")))
}
