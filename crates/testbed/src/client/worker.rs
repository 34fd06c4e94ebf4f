//! One thread of the client, from opening its connections to what it has measured.

use std::{
    ops::Range,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender},
    },
};

use mio::Poll;
use rand::rngs::Xoshiro256PlusPlus;

use super::{
    clock::now_ns,
    commands::Namespace,
    connection::Connection,
    error::LoadError,
    event_loop::{EventLoop, Finished},
    limits::Limits,
    opening,
    plan::LoadPlan,
    recorder::Recorder,
    schedule::{Arrivals, Closed, Open, Schedule},
    template::Templates,
    traffic::Traffic,
    window::Window,
    ycsb::Generators,
};
use crate::nanos::nanos;

/// What a thread needs to know.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) plan: &'a LoadPlan,
    pub(super) limits: Limits,
    pub(super) window: &'a Window,
    pub(super) stop: &'a AtomicBool,
    /// Which of the threads this is.
    thread: usize,
    /// The thread's connections, among all of them.
    numbers: Range<u32>,
    traffic: Vec<Traffic>,
    arrivals: Xoshiro256PlusPlus,
}

/// What a thread tells.
#[derive(Debug)]
pub(super) enum Report {
    /// All its connections are open.
    Opened,
    /// It is done, and holds its connections open.
    Ended {
        /// Which of the threads.
        thread: usize,
        /// What it has seen; none if it was given up before the load began.
        result: Box<Result<Option<Seen>, LoadError>>,
    },
}

/// What a thread has seen of the load.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) recorder: Recorder,
    /// Whether it lost all its connections before the end of the measured part.
    pub(super) deserted: bool,
}

/// The jobs of a plan's threads: equal shares of its connections.
///
/// The random choices of a connection do not depend on how many threads there are.
pub(super) fn jobs<'a>(
    plan: &'a LoadPlan,
    limits: Limits,
    window: &'a Window,
    stop: &'a AtomicBool,
) -> Vec<Job<'a>> {
    let threads = plan.worker_threads();
    let first_of = |thread: u32| {
        let share = u64::from(thread) * u64::from(plan.connections) / u64::from(threads);
        u32::try_from(share).unwrap_or(plan.connections)
    };
    let mut generators = Generators::new(plan.seed);
    let mut shares: Vec<(Range<u32>, Vec<Traffic>)> = Vec::new();
    for thread in 0..threads {
        let numbers = first_of(thread)..first_of(thread + 1);
        let traffic = numbers
            .clone()
            .map(|_| Traffic::new(generators.next(), plan.records, plan.mix))
            .collect();
        shares.push((numbers, traffic));
    }
    shares
        .into_iter()
        .enumerate()
        .map(|(thread, (numbers, traffic))| Job {
            plan,
            limits,
            window,
            stop,
            thread,
            numbers,
            traffic,
            arrivals: generators.next(),
        })
        .collect()
}

impl Job<'_> {
    /// Opens the connections, waits for the time at which the load begins, and makes the load. The connections are
    /// closed when the sender of `begin` is gone.
    pub(super) fn work(self, reports: Sender<Report>, begin: &Receiver<u64>) {
        let thread = self.thread;
        let (result, open) = match self.work_to_end(&reports, begin) {
            Ok(Some(Finished {
                recorder,
                deserted,
                connections,
            })) => (Ok(Some(Seen { recorder, deserted })), connections),
            Ok(None) => (Ok(None), Vec::new()),
            Err(error) => (Err(error), Vec::new()),
        };
        // Nobody listens where another thread's error has ended the run.
        let _nobody_listens = reports.send(Report::Ended {
            thread,
            result: Box::new(result),
        });
        // Whoever waits for the reports learns by this that there are no more, also from a thread that panicked.
        drop(reports);
        while begin.recv().is_ok() {}
        drop::<Vec<Connection>>(open);
    }

    fn work_to_end(
        mut self,
        reports: &Sender<Report>,
        begin: &Receiver<u64>,
    ) -> Result<Option<Finished>, LoadError> {
        let mut poll = Poll::new().map_err(LoadError::system("create an event queue"))?;
        let traffic = std::mem::take(&mut self.traffic);
        let given_up = || self.stop.load(Ordering::Relaxed) || self.window.is_over(now_ns());
        let opened = opening::open(&mut poll, self.plan.address, traffic, self.limits, given_up)?;
        let Some(connections) = opened else {
            return Ok(None);
        };
        let namespace = Namespace {
            database: &self.plan.database,
            collection: &self.plan.collection,
        };
        let templates = Templates::new(namespace);
        let _nobody_listens = reports.send(Report::Opened);
        let Ok(begin_ns) = begin.recv() else {
            return Ok(None);
        };
        let (window, limits) = (self.window, self.limits);
        let schedule = self.schedule(begin_ns);
        EventLoop::new(poll, connections, schedule, templates, window, limits)?
            .run()
            .map(Some)
    }

    fn schedule(self, begin_ns: u64) -> Schedule {
        let connections = u64::from(self.plan.connections);
        if self.plan.rate_ops > 0 {
            let share = self.numbers.len() as f64 / connections as f64;
            let arrivals = Arrivals::new(self.arrivals, self.plan.rate_ops as f64 * share, begin_ns);
            return Schedule::Open(Open::new(arrivals, self.numbers.len()));
        }
        let spread = u128::from(self.plan.stagger_ns());
        let starts = self.numbers.map(|number| {
            let offset = u128::from(number) * spread / u128::from(connections);
            begin_ns.saturating_add(u64::try_from(offset).unwrap_or(u64::MAX))
        });
        Schedule::Closed(Closed::new(nanos(self.plan.think), starts))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use scenario::Mix;

    use super::*;
    use crate::client::traffic::Request;
    use crate::client::ycsb;

    fn plan(threads: u32) -> LoadPlan {
        LoadPlan {
            address: ([127, 0, 0, 1], 1).into(),
            database: "ycsb".to_owned(),
            collection: "usertable".to_owned(),
            connections: 10,
            threads,
            think: Duration::from_millis(10),
            rate_ops: 0,
            mix: Mix::Ycsb { read_percent: 50 },
            records: 1000,
            warmup: Duration::ZERO,
            measured: Duration::ZERO,
            seed: 4,
            load_phase: false,
        }
    }

    fn keys_and_starts(threads: u32) -> (Vec<String>, Vec<u64>) {
        let (plan, window, stop) = (plan(threads), Window::new(), AtomicBool::new(false));
        let (mut keys, mut starts) = (Vec::new(), Vec::new());
        for mut job in jobs(&plan, Limits::default(), &window, &stop) {
            for traffic in &mut job.traffic {
                let Request::Record(ycsb::Request::Read { key } | ycsb::Request::Update { key, .. }) =
                    traffic.next()
                else {
                    panic!("not YCSB");
                };
                keys.push(key.to_string());
            }
            let mut schedule = job.schedule(1000);
            while let Some(next_ns) = schedule.next_ns() {
                starts.push(next_ns);
                schedule.take(next_ns);
            }
        }
        (keys, starts)
    }

    #[test]
    fn threads_change_neither_operations_nor_start_times() {
        let (keys, starts) = keys_and_starts(1);
        assert_eq!(keys.len(), 10);
        assert_eq!(starts, (0..10).map(|i| 1000 + i * 1_000_000).collect::<Vec<_>>());
        for threads in [2, 3, 10, 64] {
            assert_eq!(
                keys_and_starts(threads),
                (keys.clone(), starts.clone()),
                "{threads} threads"
            );
        }
    }
}
