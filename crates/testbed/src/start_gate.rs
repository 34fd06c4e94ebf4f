use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// Starts threads together. Unlike a barrier it can be called off, so that the failure to start one thread does not
/// leave the others waiting.
#[derive(Debug, Default)]
pub(crate) struct StartGate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    arrived: usize,
    outcome: Option<Outcome>,
}

#[derive(Clone, Copy, Debug)]
enum Outcome {
    Opened(Instant),
    CalledOff,
}

impl StartGate {
    /// Waits until the gate is opened and returns when that was, the same for all; `None` if it was called off.
    pub(crate) fn pass(&self) -> Option<Instant> {
        let mut state = self.locked();
        state.arrived += 1;
        self.changed.notify_all();
        loop {
            match state.outcome {
                Some(Outcome::Opened(start)) => return Some(start),
                Some(Outcome::CalledOff) => return None,
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Waits for `threads` threads and lets them pass, unless it is called off before.
    pub(crate) fn open(&self, threads: usize) {
        let mut state = self.locked();
        while state.arrived < threads && state.outcome.is_none() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
            .outcome
            .get_or_insert_with(|| Outcome::Opened(Instant::now()));
        self.changed.notify_all();
    }

    /// Sends all threads away, also those that have not arrived yet.
    pub(crate) fn call_off(&self) {
        self.locked().outcome = Some(Outcome::CalledOff);
        self.changed.notify_all();
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn all_start_at_the_same_moment() {
        let gate = StartGate::default();
        let starts: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..5).map(|_| scope.spawn(|| gate.pass())).collect();
            gate.open(5);
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(starts[0].is_some());
        assert!(starts.iter().all(|start| *start == starts[0]));
    }

    #[test]
    fn a_gate_that_is_called_off_keeps_nobody() {
        let gate = StartGate::default();
        thread::scope(|scope| {
            let early = scope.spawn(|| gate.pass());
            gate.call_off();
            assert_eq!(early.join().unwrap(), None);
            assert_eq!(scope.spawn(|| gate.pass()).join().unwrap(), None);
            // One of three never comes.
            gate.open(3);
            assert_eq!(gate.pass(), None);
        });
    }
}
