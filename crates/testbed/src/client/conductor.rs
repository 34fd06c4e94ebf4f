//! The main thread's part of a run: its phases, and the result of all threads.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender},
    },
    time::Duration,
};

use bson::Document;

use super::{
    clock::{between, now_ns, process_cpu},
    control::Control,
    error::LoadError,
    limits::Limits,
    outcome::{Commands, LoadOutcome, StatusPair},
    plan::LoadPlan,
    progress::Progress,
    recorder::Recorder,
    window::Window,
    worker::{Report, Seen},
};
use crate::nanos::nanos;

/// How often to look whether the run has been stopped.
const TICK: Duration = Duration::from_millis(20);

/// Leads the threads through a run.
pub(super) struct Conductor<'a> {
    pub(super) plan: &'a LoadPlan,
    pub(super) window: &'a Window,
    pub(super) stop: &'a AtomicBool,
    pub(super) limits: Limits,
    /// Commands that were answered outside the load, so far.
    pub(super) answered: u64,
    pub(super) reports: Receiver<Report>,
    /// Tells each thread when the load begins. A thread whose sender is gone does not begin, or, if it has ended, closes
    /// its connections.
    pub(super) begins: Vec<Sender<u64>>,
}

/// What the threads have told so far.
struct Told {
    opened: usize,
    /// Of each thread that has ended, by its number.
    seen: Vec<Option<Seen>>,
    error: Option<LoadError>,
}

impl Told {
    fn take(&mut self, report: Report) {
        match report {
            Report::Opened => self.opened += 1,
            Report::Ended { thread, result } => match *result {
                Ok(seen) => {
                    if let Some(of_thread) = self.seen.get_mut(thread) {
                        *of_thread = seen;
                    }
                }
                Err(error) => self.error = self.error.take().or(Some(error)),
            },
        }
    }

    /// Whether there is no connection left in any thread since before the end of the measured part.
    fn all_deserted(&self) -> bool {
        self.seen
            .iter()
            .all(|seen| seen.as_ref().is_some_and(|seen| seen.deserted))
    }

    /// What all threads have seen together.
    fn total(&self) -> Recorder {
        let mut total = Recorder::new();
        for seen in self.seen.iter().flatten() {
            total.merge(&seen.recorder);
        }
        total
    }
}

/// Why a wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waited {
    /// What was waited for has come.
    ToTheEnd,
    /// The run was stopped.
    Stopped,
    /// All connections are lost, or a thread has failed.
    Alone,
}

/// What the main thread measures itself.
struct Measured {
    ended: Waited,
    length: Duration,
    cpu: Duration,
    before: Option<Document>,
    after: Option<Document>,
    end: Option<Document>,
}

impl Measured {
    fn status(self) -> Option<StatusPair> {
        Some(StatusPair {
            before: self.before?,
            after: self.after?,
            end: self.end?,
        })
    }

    fn nothing(ended: Waited) -> Self {
        Self {
            ended,
            length: Duration::ZERO,
            cpu: Duration::ZERO,
            before: None,
            after: None,
            end: None,
        }
    }
}

impl Conductor<'_> {
    /// # Errors
    /// The first error of a thread or of a control connection, or that all connections were lost.
    pub(super) fn conduct(
        mut self,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<LoadOutcome, LoadError> {
        let mut told = Told {
            opened: 0,
            seen: self.begins.iter().map(|_| None).collect(),
            error: None,
        };
        let result = self.measure(&mut told, progress);
        // The threads have to end, also where an error has cut the measured part short.
        self.window.close(now_ns());
        while let Ok(report) = self.reports.recv() {
            told.take(report);
        }
        let mut measured = result?;
        measured.end = match measured.after {
            Some(_) => self.status_if_answered(),
            None => None,
        };
        self.begins.clear();
        match told.error.take() {
            Some(error) => Err(error),
            None => self.result(measured, &told),
        }
    }

    fn measure(
        &mut self,
        told: &mut Told,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Measured, LoadError> {
        progress(Progress::Opening);
        let ended = self.wait_for_opening(told);
        if ended != Waited::ToTheEnd {
            // Threads that wait for the load to begin have to learn that it does not.
            self.begins.clear();
            return Ok(Measured::nothing(ended));
        }

        let begin_ns = now_ns();
        for begin in &self.begins {
            // A thread that has ended meanwhile has told why.
            let _ended = begin.send(begin_ns);
        }
        progress(Progress::WarmingUp);
        let ended = self.wait_until(told, begin_ns.saturating_add(nanos(self.plan.warmup)));
        if ended != Waited::ToTheEnd {
            return Ok(Measured::nothing(ended));
        }

        let before = self.status()?;
        let cpu_before = process_cpu();
        let start_ns = now_ns();
        let end_ns = start_ns.saturating_add(nanos(self.plan.measured));
        self.window.open(start_ns, end_ns);
        progress(Progress::Measuring);
        let ended = self.wait_until(told, end_ns);
        self.window.close(now_ns());
        let cpu = process_cpu().saturating_sub(cpu_before);
        // Before the reading, which has to wait for a CPU: whoever traces the measured part ends with it.
        progress(Progress::Finishing);
        let after = match before {
            Some(_) => self.status_if_answered(),
            None => None,
        };
        Ok(Measured {
            ended,
            length: between(start_ns, self.window.end_ns()),
            cpu,
            before,
            after,
            end: None,
        })
    }

    /// Asks on a connection that is there for nothing else. One that stayed open would be counted by a server that looks
    /// at how many connections it has, as MongoDB's guard does before it yields.
    fn status(&mut self) -> Result<Option<Document>, LoadError> {
        let mut control = Control::open(self.plan.address, self.limits)?;
        let status = control.server_status();
        self.answered += control.answered;
        status
    }

    /// What was measured is worth more than the status; a server that is gone shows in the numbers anyway.
    fn status_if_answered(&mut self) -> Option<Document> {
        self.status().unwrap_or_default()
    }

    /// Waits for all threads to have opened their connections.
    fn wait_for_opening(&self, told: &mut Told) -> Waited {
        loop {
            if told.opened == self.begins.len() {
                return Waited::ToTheEnd;
            }
            if let Some(interrupted) = self.listen(told, TICK) {
                return interrupted;
            }
        }
    }

    fn wait_until(&self, told: &mut Told, time_ns: u64) -> Waited {
        loop {
            let left = between(now_ns(), time_ns);
            if left.is_zero() {
                return Waited::ToTheEnd;
            }
            if let Some(interrupted) = self.listen(told, left.min(TICK)) {
                return interrupted;
            }
        }
    }

    /// Takes a report, if one comes within `timeout`; tells whether there is still reason to wait.
    fn listen(&self, told: &mut Told, timeout: Duration) -> Option<Waited> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(Waited::Stopped);
        }
        match self.reports.recv_timeout(timeout) {
            Ok(report) => told.take(report),
            Err(RecvTimeoutError::Timeout) => {}
            // All threads have ended: at the end of the measured part, which is now, unless one of them has panicked.
            Err(RecvTimeoutError::Disconnected) if told.seen.iter().all(Option::is_some) => {}
            Err(RecvTimeoutError::Disconnected) => return Some(Waited::Alone),
        }
        (told.all_deserted() || told.error.is_some()).then_some(Waited::Alone)
    }

    fn result(&self, measured: Measured, told: &Told) -> Result<LoadOutcome, LoadError> {
        let total = told.total();
        // Whatever the wait has seen of it: threads that find themselves alone just before the end tell it after.
        let ended = if told.all_deserted() {
            Waited::Alone
        } else {
            measured.ended
        };
        let mut outcome = LoadOutcome {
            seconds: measured.length.as_secs_f64(),
            operations: total.operations(),
            throughput_ops: 0.0,
            errors: total.errors,
            first_error: total.first_error(),
            cpu: measured.cpu,
            requests: total.requests,
            unsent: total.unsent,
            commands: Commands {
                control: total.commands.control + self.answered,
                ..total.commands
            },
            latency_hash: total.latency_hash(),
            complete: ended == Waited::ToTheEnd,
            status: measured.status(),
        };
        if outcome.seconds > 0.0 {
            outcome.throughput_ops = outcome.operation_count() as f64 / outcome.seconds;
        }
        match ended {
            Waited::ToTheEnd | Waited::Stopped => Ok(outcome),
            Waited::Alone => Err(LoadError::AllConnectionsLost {
                address: self.plan.address,
                connections: self.plan.connections,
                reason: total.last_loss.clone().unwrap_or_default(),
                partial: Box::new(outcome),
            }),
        }
    }
}
