//! The sessions of a domain: who is alive, and what those that ended have counted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::counters::Counters;
use crate::slice::SliceState;
use crate::snapshot::Snapshot;

/// Names a session within its domain: the how manieth it was.
pub(crate) type SessionId = u64;

/// Locked when a session starts or ends and for a moment by a snapshot, never at a yield point.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    books: Mutex<Books>,
}

#[derive(Debug, Default)]
struct Books {
    live: HashMap<SessionId, Arc<Counters>>,
    /// The counters of ended sessions, and how many ever started.
    retired: Snapshot,
}

impl Registry {
    /// Enters a new session.
    pub(crate) fn enter(&self, counters: &Arc<Counters>, slice: SliceState) -> SessionId {
        let mut books = self.lock();
        count_session(slice, &mut books.retired);
        let id = books.retired.sessions_total;
        books.live.insert(id, Arc::clone(counters));
        id
    }

    /// Takes a session out and keeps what it counted. To be called when its thread counts no more.
    pub(crate) fn retire(&self, id: SessionId) {
        let mut books = self.lock();
        if let Some(counters) = books.live.remove(&id) {
            counters.add_to(&mut books.retired);
        }
    }

    /// Sums up all sessions, dead and alive.
    pub(crate) fn snapshot(&self) -> Snapshot {
        // Retired totals and the list of the living are taken in one go, so each session is in exactly one
        // of them. The summing up needs no lock: if a session ends meanwhile, its counters stay readable.
        let (mut total, live) = {
            let books = self.lock();
            (
                books.retired.clone(),
                books.live.values().cloned().collect::<Vec<_>>(),
            )
        };
        total.sessions = live.len() as u64;
        for counters in live {
            counters.add_to(&mut total);
        }
        total
    }

    /// A thread that panicked in here has at worst left a session uncounted; that is no reason to take the
    /// others down.
    fn lock(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Books the start of a session, and how the kernel took its wish for a slice.
pub(crate) fn count_session(slice: SliceState, total: &mut Snapshot) {
    total.sessions_total += 1;
    match slice {
        SliceState::Refused(_) => total.slices_refused += 1,
        SliceState::NotHonoured => total.slices_not_honoured += 1,
        SliceState::Unchanged | SliceState::Applied(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_that_came_to_nothing_are_counted() {
        let registry = Registry::default();
        let slices = [
            SliceState::Unchanged,
            SliceState::Refused(1),
            SliceState::NotHonoured,
            SliceState::Refused(38),
        ];
        for slice in slices {
            registry.enter(&Arc::default(), slice);
        }
        let seen = registry.snapshot();
        assert_eq!((seen.sessions, seen.sessions_total), (4, 4));
        assert_eq!((seen.slices_refused, seen.slices_not_honoured), (2, 1));
    }

    #[test]
    fn retiring_twice_counts_once() {
        let registry = Registry::default();
        let counters = Arc::<Counters>::default();
        let id = registry.enter(&counters, SliceState::Unchanged);
        counters.record(&crate::decision::Pause::STAYED);
        registry.retire(id);
        registry.retire(id);
        let seen = registry.snapshot();
        assert_eq!((seen.sessions, seen.sessions_total, seen.calls), (0, 1, 1));
    }
}
