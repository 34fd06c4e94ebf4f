use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    time::Duration,
};

/// Threads count in this many places, so that two of them seldom write one cache line.
const SHARDS: usize = 16;

/// What an operation is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Insert,
    Query,
    Update,
    Delete,
    GetMore,
    /// One that reads and is no query, such as `aggregate`.
    OtherRead,
    Command,
}

const KINDS: usize = Kind::Command as usize + 1;

/// How many commands were carried out, and how long that took, from the dispatch of each to its reply.
#[derive(Debug, Default)]
pub struct OperationLatencies([Shard; SHARDS]);

#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard([Counter; KINDS]);

#[derive(Debug, Default)]
struct Counter {
    operations: AtomicU64,
    micros: AtomicU64,
}

/// The sum of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    pub(super) operations: u64,
    /// Time, in us.
    pub(super) micros: u64,
}

impl OperationLatencies {
    pub(super) fn count(&self, kind: Kind, took: Duration) {
        let counter = self.0.get(shard()).and_then(|shard| shard.0.get(kind as usize));
        if let Some(counter) = counter {
            let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            counter.operations.fetch_add(1, Ordering::Relaxed);
            counter.micros.fetch_add(micros, Ordering::Relaxed);
        }
    }

    pub(super) fn total(&self, kind: Kind) -> Total {
        let counters = self.0.iter().filter_map(|shard| shard.0.get(kind as usize));
        counters.fold(Total::default(), |total, counter| Total {
            operations: total.operations + counter.operations.load(Ordering::Relaxed),
            micros: total.micros + counter.micros.load(Ordering::Relaxed),
        })
    }
}

/// The calling thread's place.
fn shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: Cell<Option<usize>> = const { Cell::new(None) };
    }
    OWN.with(|own| {
        own.get().unwrap_or_else(|| {
            let place = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
            own.set(Some(place));
            place
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted_together_and_kinds_apart() {
        let latencies = OperationLatencies::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * SHARDS {
                scope.spawn(|| latencies.count(Kind::Update, Duration::from_micros(3)));
            }
        });
        latencies.count(Kind::Query, Duration::ZERO);
        let expected = |operations, micros| Total { operations, micros };
        assert_eq!(latencies.total(Kind::Update), expected(32, 96));
        assert_eq!(latencies.total(Kind::Query), expected(1, 0));
        assert_eq!(latencies.total(Kind::Command), Total::default());
    }
}
