//! The threads that the library starts: it gives them no name, and says nothing of them.

use std::{collections::BTreeSet, fs, path::PathBuf};

/// What they are called from then on, for `ps -L` and traces.
const NAME: &str = "wiredtiger";

/// Runs `start`; gives its result, and the ids of the threads that are there since, if no others start at that time.
pub(super) fn started_by<T>(start: impl FnOnce() -> T) -> (T, Vec<i32>) {
    let before = threads();
    let result = start();
    let started: Vec<i32> = threads().difference(&before).copied().collect();
    for id in &started {
        // Only for those who watch.
        let _unnamed = fs::write(folder().join(id.to_string()).join("comm"), NAME);
    }
    (result, started)
}

/// The ids of this process's threads (proc(5)).
fn threads() -> BTreeSet<i32> {
    let entries = fs::read_dir(folder()).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

fn folder() -> PathBuf {
    PathBuf::from("/proc/self/task")
}
