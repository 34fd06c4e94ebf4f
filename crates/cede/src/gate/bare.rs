//! Threads that only come to yield points, and do not tell what they do between two of them.

use std::sync::Arc;

use super::slot::Slot;
use crate::sys::{self, ThreadState};

/// Asking the kernel what a thread waits for takes some 2 us. That is paid for by not looking again for a hundred times
/// as long.
pub(super) const PAUSE_PER_ANSWER_NS: u64 = 100_000;

/// So many are asked at most in one look.
const MOST_ASKED: usize = 4;

/// Looks for one that has been away from its yield points for too long, and is not just waiting for work.
#[derive(Debug)]
pub(super) struct Bare<'a> {
    now: u64,
    patience_ns: u64,
    /// Those that have been away for too long.
    overdue: Vec<(&'a Arc<Slot>, u64, u32)>,
    /// When the next one will have been.
    due_ns: u64,
    asked: u64,
}

impl<'a> Bare<'a> {
    pub(super) fn new(now: u64, patience_ns: u64) -> Self {
        Self {
            now,
            patience_ns,
            overdue: Vec::new(),
            due_ns: u64::MAX,
            asked: 0,
        }
    }

    /// Takes note of the thread `tid`, which left its last yield point at `began`.
    pub(super) fn add(&mut self, slot: &'a Arc<Slot>, began: u64, tid: u32) {
        let due = began + self.patience_ns;
        if due > self.now {
            self.due_ns = self.due_ns.min(due);
        } else {
            self.overdue.push((slot, began, tid));
        }
    }

    /// The older one of `oldest` and of those that have been away for too long and want a CPU or a lock.
    pub(super) fn oldest(&mut self, oldest: Option<(&'a Arc<Slot>, u64)>) -> Option<(&'a Arc<Slot>, u64)> {
        self.overdue.sort_unstable_by_key(|&(_, began, _)| began);
        for &(slot, began, tid) in self.overdue.iter().take(MOST_ASKED) {
            if oldest.is_some_and(|(_, earliest)| earliest <= began) {
                break;
            }
            self.asked += 1;
            // One that waits now may want a CPU soon.
            self.due_ns = self.due_ns.min(self.now + PAUSE_PER_ANSWER_NS);
            let state = sys::thread_state(tid);
            if matches!(state, Some(ThreadState::Runnable | ThreadState::Locked)) {
                return Some((slot, began));
            }
        }
        oldest
    }

    /// When to look again.
    pub(super) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// How many were asked.
    pub(super) fn asked(&self) -> u64 {
        self.asked
    }
}
