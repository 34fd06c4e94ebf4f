use std::collections::BTreeMap;

use scenario::{Cause, OffTime, ThreadKind, ThreadOffCpu};

/// A thread of the server, as far as the events so far tell.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracked {
    /// Known from its first switch on: other events show names from a cache, which may be full.
    identity: Option<(String, ThreadKind)>,
    /// The traced system call that it is in.
    call: Option<Cause>,
    place: Place,
    on_cpu_us: u64,
    by_cause: BTreeMap<Cause, OffTime>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Place {
    /// No event has told yet.
    #[default]
    Unknown,
    /// On a CPU, since then.
    On(u64),
    Off(Away),
}

/// A time off the CPU that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Away {
    /// The CPU that the thread left.
    pub(super) cpu: u32,
    pub(super) cause: Cause,
    since: u64,
    /// Since when it could run; `None` while it is blocked.
    runnable: Option<u64>,
}

impl Tracked {
    /// It has this name, which may be another than before: a thread starts with that of its parent.
    pub(super) fn is(&mut self, name: &str, kind: ThreadKind) {
        if self.identity.as_ref().is_none_or(|(known, _)| known != name) {
            self.identity = Some((name.to_owned(), kind));
        }
    }

    pub(super) fn kind(&self) -> Option<ThreadKind> {
        self.identity.as_ref().map(|&(_, kind)| kind)
    }

    pub(super) fn enter(&mut self, call: Cause) {
        self.call = Some(call);
    }

    pub(super) fn exit(&mut self) {
        self.call = None;
    }

    /// It has left `cpu`. The cause is the call that it is in; one that was entered before the trace began is unknown, and
    /// time in it is booked as that of no call.
    pub(super) fn switch_out(&mut self, at: u64, cpu: u32, runnable: bool) -> Cause {
        self.leave_cpu(at);
        let cause = match (self.call, runnable) {
            (Some(Cause::Yield), _) => Cause::Yield,
            // Taken from the CPU before it blocked, or woken before it had left.
            (_, true) => Cause::Preempted,
            (Some(call), false) => call,
            (None, false) => Cause::Other,
        };
        self.place = Place::Off(Away {
            cpu,
            cause,
            since: at,
            runnable: runnable.then_some(at),
        });
        cause
    }

    /// It could run from now on.
    pub(super) fn wake_up(&mut self, at: u64) {
        if let Place::Off(away) = &mut self.place {
            away.runnable.get_or_insert(at);
        }
    }

    /// It has a CPU. Returns the time off it that has ended.
    pub(super) fn switch_in(&mut self, at: u64) -> Option<Away> {
        let ended = self.come_back(at);
        self.place = Place::On(at);
        ended
    }

    /// It has left its CPU for good.
    pub(super) fn end(&mut self, at: u64) {
        self.leave_cpu(at);
        self.forget();
    }

    /// The events about it have a gap: what began before is never known to end.
    pub(super) fn forget(&mut self) {
        self.call = None;
        self.place = Place::Unknown;
    }

    fn leave_cpu(&mut self, at: u64) {
        if let Place::On(since) = self.place {
            self.on_cpu_us = self.on_cpu_us.saturating_add(at.saturating_sub(since));
        }
    }

    fn come_back(&mut self, at: u64) -> Option<Away> {
        let Place::Off(away) = self.place else { return None };
        let until_now = |since: u64| at.saturating_sub(since) as f64;
        self.by_cause.entry(away.cause).or_default().add(OffTime {
            times: 1,
            us: until_now(away.since),
            runnable_us: away.runnable.map_or(0.0, until_now),
        });
        Some(away)
    }

    /// What it spent until the end of the trace; `None` if it was never switched.
    pub(super) fn finish(mut self, tid: u32, end: u64) -> Option<ThreadOffCpu> {
        self.come_back(end);
        self.leave_cpu(end);
        let (name, kind) = self.identity?;
        Some(ThreadOffCpu {
            tid,
            name,
            kind,
            on_cpu_us: self.on_cpu_us as f64,
            by_cause: self.by_cause,
        })
    }
}
