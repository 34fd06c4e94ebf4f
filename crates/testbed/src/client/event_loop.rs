use std::{io::ErrorKind, time::Duration};

use mio::{Events, Poll, Token, event::Event};

use super::{
    clock::{between, now_ns},
    connection::{Connection, Received, Waiting},
    error::LoadError,
    limits::Limits,
    recorder::Recorder,
    schedule::{Due, Schedule},
    template::Templates,
    timer::Timer,
    window::Window,
};
use crate::{nanos::nanos, wire::FrameBuffer};

/// Not the position of any connection.
const TIMER: Token = Token(usize::MAX);
/// Longest sleep: how late the loop may see that the run was stopped.
const TICK: Duration = Duration::from_millis(50);
/// How often to look for requests that got no reply in time.
const SWEEP_NS: u64 = 500_000_000;
/// Events taken from the kernel at once.
const EVENTS: usize = 1024;

/// What a thread has when it is done.
#[derive(Debug)]
pub(super) struct Finished {
    /// What it has seen.
    pub(super) recorder: Recorder,
    /// Whether it lost all its connections before the end of the measured part.
    pub(super) deserted: bool,
    /// The connections that are left, still open.
    pub(super) connections: Vec<Connection>,
}

/// One thread's share of the load, once its connections are open.
///
/// Each turn sends what is due, sleeps until the next request is due or a reply comes, and takes the replies. What
/// has become due meanwhile is sent after each single reply, so that a burst of replies does not hold it up.
pub(super) struct EventLoop<'a> {
    poll: Poll,
    timer: Timer,
    /// By position; none where one was lost.
    connections: Vec<Option<Connection>>,
    /// Connections that are left.
    alive: usize,
    /// Connections that have a request under way.
    waiting: usize,
    schedule: Schedule,
    templates: Templates,
    buffer: FrameBuffer,
    window: &'a Window,
    limits: Limits,
    recorder: Recorder,
    next_sweep_ns: u64,
}

impl<'a> EventLoop<'a> {
    /// # Errors
    /// If the system has no timer to give.
    pub(super) fn new(
        poll: Poll,
        connections: Vec<Connection>,
        schedule: Schedule,
        templates: Templates,
        window: &'a Window,
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let timer = Timer::new(poll.registry(), TIMER).map_err(LoadError::system("create a timer"))?;
        let mut recorder = Recorder::new();
        // Their handshakes.
        recorder.commands.control = connections.len() as u64;
        Ok(Self {
            poll,
            timer,
            alive: connections.len(),
            connections: connections.into_iter().map(Some).collect(),
            waiting: 0,
            schedule,
            templates,
            buffer: FrameBuffer::default(),
            window,
            limits,
            recorder,
            next_sweep_ns: now_ns() + SWEEP_NS,
        })
    }

    /// Makes the load until the window has closed and all replies have come, or no connection is left.
    ///
    /// # Errors
    /// If the system refuses to wait for events.
    pub(super) fn run(mut self) -> Result<Finished, LoadError> {
        let mut events = Events::with_capacity(EVENTS);
        loop {
            let now_ns = now_ns();
            self.send_due(now_ns);
            if self.is_finished(now_ns) {
                self.recorder.unsent = self.schedule.unsent(self.window.end_ns());
                return Ok(Finished {
                    recorder: self.recorder,
                    deserted: self.alive == 0 && !self.window.is_over(now_ns),
                    connections: self.connections.into_iter().flatten().collect(),
                });
            }
            if now_ns >= self.next_sweep_ns {
                self.sweep(now_ns);
            }
            let timeout = self.arm(now_ns)?;
            match self.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() != ErrorKind::Interrupted => {
                    return Err(LoadError::system("wait for replies")(error));
                }
                _ => {}
            }
            for event in &events {
                if event.token() != TIMER {
                    self.take_event(event);
                }
            }
        }
    }

    /// Whether there is nothing left to wait for; requests that are given up count as errors.
    fn is_finished(&mut self, now_ns: u64) -> bool {
        if self.alive == 0 {
            return true;
        }
        if !self.window.is_over(now_ns) {
            return false;
        }
        let overdue = between(self.window.end_ns(), now_ns) >= self.limits.drain;
        if overdue && self.waiting > 0 {
            self.recorder.errors += self.waiting as u64;
            let given_up = self.limits.drain.as_secs_f64();
            self.recorder
                .went_wrong(now_ns, &format!("no reply within {given_up} s after the end"));
        }
        overdue || self.waiting == 0
    }

    /// Sees to it that the coming sleep ends in time; gives its longest length.
    fn arm(&mut self, now_ns: u64) -> Result<Duration, LoadError> {
        match self.schedule.next_ns() {
            Some(due_ns) if !self.window.is_over(due_ns.max(now_ns)) => {
                if due_ns <= now_ns {
                    return Ok(Duration::ZERO);
                }
                self.timer
                    .arm(due_ns, now_ns)
                    .map_err(LoadError::system("set a timer"))?;
            }
            _ => {}
        }
        Ok(TICK)
    }

    fn send_due(&mut self, now_ns: u64) {
        while !self.window.is_over(now_ns)
            && let Some(due) = self.schedule.take(now_ns)
        {
            self.send(due);
        }
    }

    fn send(&mut self, due: Due) {
        let Some(Some(connection)) = self.connections.get_mut(due.connection) else {
            return;
        };
        let request = connection.traffic.next();
        let message = self.templates.fill(connection.next_request_id(), &request);
        let sent_ns = now_ns();
        let waiting = Waiting {
            operation: Some(request.operation()),
            is_last: request.is_last(),
            expected: request.expected(),
            intended_ns: due.intended_ns.unwrap_or(sent_ns),
            sent_ns,
        };
        let sent = connection.send(message, waiting);
        self.waiting += 1;
        self.recorder.requests += u64::from(self.window.contains(sent_ns));
        if let Err(reason) = sent {
            self.lose(due.connection, &reason);
        }
    }

    fn take_event(&mut self, event: &Event) {
        let Token(position) = event.token();
        loop {
            let Some(Some(connection)) = self.connections.get_mut(position) else {
                return;
            };
            if event.is_writable()
                && let Err(reason) = connection.flush()
            {
                return self.lose(position, &reason);
            }
            match connection.receive(&mut self.buffer) {
                Received::Nothing => return,
                Received::Lost(reason) => return self.lose(position, &reason),
                Received::Reply { to, at_ns, failure } => {
                    self.waiting -= 1;
                    let goes_on = !to.is_last && failure.is_none() && !self.window.is_over(at_ns);
                    if !goes_on {
                        connection.traffic.leave_rest();
                    }
                    self.record(to, at_ns, failure);
                    // The end of the stream comes behind the reply, and as the same event: look again.
                    if event.is_read_closed() {
                        continue;
                    }
                    if goes_on {
                        self.send(Due {
                            connection: position,
                            intended_ns: Some(to.intended_ns),
                        });
                    } else {
                        self.schedule.release(position, at_ns);
                    }
                    return self.send_due(at_ns);
                }
            }
        }
    }

    fn record(&mut self, to: Waiting, at_ns: u64, failure: Option<String>) {
        let measured = self.window.contains(at_ns);
        let commands = &mut self.recorder.commands;
        let of_its_time = if measured {
            &mut commands.measured
        } else if self.window.is_over(at_ns) {
            &mut commands.drained
        } else {
            &mut commands.warmup
        };
        *of_its_time += 1;
        match (failure, to.operation) {
            (Some(message), _) => {
                self.recorder.errors += u64::from(measured);
                self.recorder.went_wrong(at_ns, &message);
            }
            (None, Some(operation)) if measured && to.is_last => {
                self.recorder
                    .completed(operation, at_ns.saturating_sub(to.intended_ns));
            }
            (None, _) => {}
        }
    }

    /// Drops a connection; the load goes on without it.
    fn lose(&mut self, position: usize, reason: &str) {
        if let Some(connection) = self.connections.get_mut(position).and_then(Option::take) {
            self.alive -= 1;
            self.waiting -= usize::from(connection.waiting.is_some());
            self.schedule.remove(position);
            self.recorder.errors += 1;
            self.recorder.went_wrong(now_ns(), reason);
            self.recorder.last_loss = Some(reason.to_owned());
        }
    }

    /// Drops connections that have waited too long for a reply.
    fn sweep(&mut self, now_ns: u64) {
        let overdue: Vec<usize> = self
            .connections
            .iter()
            .enumerate()
            .filter(|(_, connection)| {
                let waiting = connection.as_ref().and_then(|connection| connection.waiting);
                waiting.is_some_and(|waiting| between(waiting.sent_ns, now_ns) >= self.limits.reply)
            })
            .map(|(position, _)| position)
            .collect();
        for position in overdue {
            self.lose(
                position,
                &format!("no reply for {} s", self.limits.reply.as_secs_f64()),
            );
        }
        self.next_sweep_ns = now_ns + SWEEP_NS.min(nanos(self.limits.reply));
    }
}
