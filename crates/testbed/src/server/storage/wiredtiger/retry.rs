use std::{thread, time::Duration};

use crate::server::storage::StorageError;

/// Does `attempt` until it succeeds, or fails of something else than a conflict with another transaction.
///
/// The pauses are those that MongoDB makes: none after the first conflicts, then longer ones.
pub(super) fn on_conflict<T>(
    mut attempt: impl FnMut() -> Result<T, StorageError>,
) -> Result<T, StorageError> {
    let mut conflicts = 0_u32;
    loop {
        match attempt() {
            Err(StorageError::WiredTiger(failure)) if failure.is_conflict() => {
                conflicts = conflicts.saturating_add(1);
                if let Some(pause) = pause(conflicts) {
                    thread::sleep(pause);
                }
            }
            done => return done,
        }
    }
}

/// What to wait after so many conflicts of one operation.
fn pause(conflicts: u32) -> Option<Duration> {
    match conflicts {
        0..4 => None,
        4..10 => Some(Duration::from_millis(1)),
        10..100 => Some(Duration::from_millis(5)),
        100..200 => Some(Duration::from_millis(10)),
        _ => Some(Duration::from_millis(100)),
    }
}
