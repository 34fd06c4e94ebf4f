use std::{
    io,
    sync::{
        Arc, MutexGuard, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use scenario::Tick;

use super::{
    Log, PoolPair, Shared, TicketPool,
    probing::{Observation, Probing, Step},
};

/// How long a pool that is to shrink waits for tickets in use, as MongoDB's does.
const RESIZE: Duration = Duration::from_secs(60);

/// The thread that ticks. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Controller {
    running: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the throughput is counted from.
#[derive(Clone, Copy, Debug)]
struct Mark {
    finished: u64,
    at: Instant,
}

impl Controller {
    /// Starts to size the pools of `shared` by `probing`.
    pub(super) fn start(shared: Arc<Shared>, probing: Probing) -> io::Result<Self> {
        let (running, stop) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("admission".into())
            .spawn(move || shared.run(probing, &stop))?;
        Ok(Self {
            running: Some(running),
            thread: Some(thread),
        })
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        self.running = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has printed why; there is nothing left to do for it.
            let _ended = thread.join();
        }
    }
}

impl Shared {
    /// Ticks until nobody holds the other end of `stop`.
    fn run(&self, mut probing: Probing, stop: &Receiver<()>) {
        let mut last: Option<Mark> = None;
        while stop.recv_timeout(probing.interval()) == Err(RecvTimeoutError::Timeout) {
            if let Some(throughput_ops) = last.and_then(|last| self.throughput_since(last)) {
                self.tick(&mut probing, throughput_ops);
            }
            // After the resizing, which can take long. The first tick comes to this alone.
            last = Some(self.mark());
        }
    }

    fn tick(&self, probing: &mut Probing, throughput_ops: f64) {
        let peak = if probing.is_stable() {
            TicketPool::take_peak
        } else {
            TicketPool::peak
        };
        let step = probing.tick(&Observation {
            throughput: throughput_ops,
            sizes: self.pools.sizes(),
            peaks: self.pools.each(peak),
        });
        let begun = Instant::now();
        self.resize(step.sizes);
        self.note(&step, throughput_ops, begun.elapsed());
    }

    fn note(&self, step: &Step, throughput_ops: f64, resizing: Duration) {
        let PoolPair { read, write } = self.pools.sizes();
        let tick = Tick {
            time_s: self.started.elapsed().as_secs_f64(),
            read_tickets: read,
            write_tickets: write,
            throughput_ops,
            decision: step.decision,
        };
        self.log().add(tick, step.moved, resizing);
    }

    fn mark(&self) -> Mark {
        Mark {
            finished: self.pools.finished(),
            at: Instant::now(),
        }
    }

    /// Tickets given back per second; none if no time has passed.
    fn throughput_since(&self, last: Mark) -> Option<f64> {
        let now = self.mark();
        let elapsed = now.at.duration_since(last.at);
        (!elapsed.is_zero()).then(|| (now.finished - last.finished) as f64 / elapsed.as_secs_f64())
    }

    /// Brings the pools to `sizes`, or as near to them as tickets in use let it within a minute.
    pub(super) fn resize(&self, sizes: PoolPair) {
        if self.pools.resize(sizes, Instant::now() + RESIZE).is_err() {
            (self.warn)(&format!(
                "a pool of tickets could not shrink within {} s: operations hold theirs for longer",
                RESIZE.as_secs()
            ));
        }
    }

    pub(super) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
