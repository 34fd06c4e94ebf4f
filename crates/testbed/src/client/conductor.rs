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
    clock::{between, now_ns, process_cpu, span_ns},
    control::Control,
    error::LoadError,
    outcome::{LoadOutcome, StatusPair},
    plan::LoadPlan,
    progress::Progress,
    recorder::Recorder,
    window::Window,
    worker::Report,
};

/// How often to look whether the run has been stopped.
const TICK: Duration = Duration::from_millis(20);

/// Leads the threads through a run.
pub(super) struct Conductor<'a> {
    pub(super) plan: &'a LoadPlan,
    pub(super) window: &'a Window,
    pub(super) stop: &'a AtomicBool,
    pub(super) control: &'a mut Control,
    pub(super) reports: Receiver<Report>,
    /// Tells each thread when the load begins; a thread whose sender is gone ends instead.
    pub(super) begins: Vec<Sender<u64>>,
}

/// What the threads have told so far.
struct Told {
    running: usize,
    opened: usize,
    total: Recorder,
    error: Option<LoadError>,
}

impl Told {
    fn take(&mut self, report: Report) {
        match report {
            Report::Opened => self.opened += 1,
            Report::Ended(result) => {
                self.running = self.running.saturating_sub(1);
                match *result {
                    Ok(Some(recorder)) => self.total.merge(&recorder),
                    Ok(None) => {}
                    Err(error) => self.error = self.error.take().or(Some(error)),
                }
            }
        }
    }
}

/// Why a wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waited {
    /// What was waited for has come.
    ToTheEnd,
    /// The run was stopped.
    Stopped,
    /// No thread is at work any more, or one has failed.
    Alone,
}

/// What the main thread measures itself.
struct Measured {
    ended: Waited,
    length: Duration,
    cpu: Duration,
    before: Option<Document>,
    after: Option<Document>,
}

impl Measured {
    fn nothing(ended: Waited) -> Self {
        Self {
            ended,
            length: Duration::ZERO,
            cpu: Duration::ZERO,
            before: None,
            after: None,
        }
    }
}

impl Conductor<'_> {
    /// # Errors
    /// The first error of a thread or of the control connection, or that all connections were lost.
    pub(super) fn conduct(
        mut self,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<LoadOutcome, LoadError> {
        let mut told = Told {
            running: self.begins.len(),
            opened: 0,
            total: Recorder::new(),
            error: None,
        };
        let result = self.measure(&mut told, progress);
        // The threads have to end, and do so even where an error has kept them from beginning.
        self.window.close(now_ns());
        self.begins.clear();
        progress(Progress::Finishing);
        while told.running > 0
            && let Ok(report) = self.reports.recv()
        {
            told.take(report);
        }
        let measured = result?;
        match told.error {
            Some(error) => Err(error),
            None => self.result(measured, &told.total),
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
            return Ok(Measured::nothing(ended));
        }

        let begin_ns = now_ns();
        for begin in &self.begins {
            // A thread that has ended meanwhile has told why.
            let _ended = begin.send(begin_ns);
        }
        progress(Progress::WarmingUp);
        let ended = self.wait_until(told, begin_ns.saturating_add(span_ns(self.plan.warmup)));
        if ended != Waited::ToTheEnd {
            return Ok(Measured::nothing(ended));
        }

        let before = self.control.server_status()?;
        let cpu_before = process_cpu();
        let start_ns = now_ns();
        let end_ns = start_ns.saturating_add(span_ns(self.plan.measured));
        self.window.open(start_ns, end_ns);
        progress(Progress::Measuring);
        let ended = self.wait_until(told, end_ns);
        self.window.close(now_ns());
        let cpu = process_cpu().saturating_sub(cpu_before);
        let after = match before {
            // What was measured is worth more than the status; a broken connection shows in the numbers anyway.
            Some(_) => self.control.server_status().unwrap_or_default(),
            None => None,
        };
        Ok(Measured {
            ended,
            length: between(start_ns, self.window.end_ns()),
            cpu,
            before,
            after,
        })
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
                // Threads that have nothing under way end with the window, and may tell so before this wait is over.
                let ended_in_time =
                    interrupted == Waited::Alone && told.error.is_none() && now_ns() >= time_ns;
                return if ended_in_time {
                    Waited::ToTheEnd
                } else {
                    interrupted
                };
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
            Err(RecvTimeoutError::Disconnected) => return Some(Waited::Alone),
        }
        (told.running == 0 || told.error.is_some()).then_some(Waited::Alone)
    }

    fn result(&self, measured: Measured, total: &Recorder) -> Result<LoadOutcome, LoadError> {
        let mut outcome = LoadOutcome {
            seconds: measured.length.as_secs_f64(),
            operations: total.operations(),
            throughput_ops: 0.0,
            errors: total.errors,
            first_error: total.first_error(),
            cpu: measured.cpu,
            requests: total.requests,
            unsent: total.unsent,
            status: measured
                .before
                .zip(measured.after)
                .map(|(before, after)| StatusPair { before, after }),
            complete: measured.ended == Waited::ToTheEnd,
        };
        if outcome.seconds > 0.0 {
            outcome.throughput_ops = outcome.operation_count() as f64 / outcome.seconds;
        }
        match measured.ended {
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
