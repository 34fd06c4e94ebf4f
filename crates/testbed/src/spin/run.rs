use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

use scenario::{Meeting, SpinRow, WaitBy};

use super::meeting::Table;
use crate::{
    native::CpuList,
    server::background::{Work, thread_cpu},
    start_gate::StartGate,
};

/// Thread 0 looks at the clock once in so many passes, so that looking costs little beside a pass of a microsecond.
const PASSES_PER_LOOK: u64 = 16;
/// What a neighbour does between two looks at whether it is done: short against a slice.
const NEIGHBOUR_WORK_US: f64 = 5.0;

/// Where threads meet, and for how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room<'a> {
    pub(super) meeting: Meeting,
    /// The threads share these.
    pub(super) cpus: &'a CpuList,
    /// The work of a busy neighbour, if each CPU has one.
    pub(super) busy: Option<Work>,
    pub(super) passes: u64,
    pub(super) limit: Duration,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Met {
    passes: u64,
    elapsed: Duration,
    /// CPU time of all threads that met.
    cpu: Duration,
}

impl Met {
    pub(super) fn row(&self, meeting: Meeting, busy: bool, wait_by: WaitBy) -> SpinRow {
        let per_pass = |time: Duration| time.as_secs_f64() * 1e6 / self.passes as f64;
        SpinRow {
            meeting,
            busy,
            wait_by,
            passes: self.passes,
            us_per_pass: per_pass(self.elapsed),
            cpu_us_per_pass: per_pass(self.cpu),
            ratio: 1.0,
        }
    }
}

impl Room<'_> {
    pub(super) fn run(&self, wait_by: WaitBy) -> io::Result<Met> {
        let table = Table::new(self.meeting, wait_by, self.passes);
        let (gate, done) = (StartGate::default(), AtomicBool::new(false));
        thread::scope(|scope| {
            let start = || {
                let named = |name: &str| thread::Builder::new().name(name.to_owned());
                let mut meeting = Vec::new();
                for me in (0..).take(self.meeting.threads()) {
                    let (table, gate) = (&table, &gate);
                    let thread = move || self.take_part(table, me, gate);
                    meeting.push(named("spin-thread").spawn_scoped(scope, thread)?);
                }
                let mut neighbours = Vec::new();
                if let Some(work) = self.busy {
                    for cpu in self.cpus.each() {
                        let (gate, done) = (&gate, &done);
                        let neighbour = move || neighbour(&cpu, work, gate, done);
                        neighbours.push(named("spin-neighbour").spawn_scoped(scope, neighbour)?);
                    }
                }
                io::Result::Ok((meeting, neighbours))
            };
            let (meeting, neighbours) = start().inspect_err(|_| gate.call_off())?;
            gate.open(meeting.len() + neighbours.len());
            let met: Vec<_> = meeting.into_iter().map(join).collect();
            done.store(true, Ordering::Relaxed);
            for neighbour in neighbours {
                join(neighbour)?;
            }
            met.into_iter().try_fold(Met::default(), |all, one| {
                let one = one?;
                Ok(Met {
                    passes: one.passes,
                    elapsed: all.elapsed.max(one.elapsed),
                    cpu: all.cpu + one.cpu,
                })
            })
        })
    }

    fn take_part(&self, table: &Table, me: u32, gate: &StartGate) -> io::Result<Met> {
        enter(self.cpus, gate)?;
        // The first pass is over when all threads have really started.
        table.pass(me);
        let (start, cpu_before) = (Instant::now(), thread_cpu());
        let mut passes = 0;
        while table.goes_on(passes) {
            if me == 0 && passes % PASSES_PER_LOOK == 0 && start.elapsed() >= self.limit {
                table.end_after(passes);
            }
            table.pass(me);
            passes += 1;
        }
        Ok(Met {
            passes,
            elapsed: start.elapsed(),
            cpu: thread_cpu().saturating_sub(cpu_before),
        })
    }
}

fn neighbour(cpu: &CpuList, work: Work, gate: &StartGate, done: &AtomicBool) -> io::Result<()> {
    enter(cpu, gate)?;
    while !done.load(Ordering::Relaxed) {
        work.run(NEIGHBOUR_WORK_US);
    }
    Ok(())
}

/// Binds the calling thread and waits for the others. Either all get through or none does, since threads that meet wait
/// for each other without a limit.
fn enter(cpus: &CpuList, gate: &StartGate) -> io::Result<()> {
    cpus.bind().inspect_err(|_| gate.call_off())?;
    match gate.pass() {
        Some(_start) => Ok(()),
        None => Err(io::Error::other("another thread could not be started")),
    }
}

fn join<T>(thread: ScopedJoinHandle<'_, io::Result<T>>) -> io::Result<T> {
    thread
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("a thread of the probe panicked")))
}
