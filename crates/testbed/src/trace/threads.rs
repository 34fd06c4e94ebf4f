use std::{collections::BTreeSet, fs, path::Path};

use scenario::ThreadKind;

/// The parent of all threads of the kernel.
const KTHREADD: u32 = 2;

/// Which numbers belong to threads of the server, and which to the kernel's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// Threads of the server's process.
    pub server: BTreeSet<u32>,
    /// Threads of the kernel.
    pub kernel: BTreeSet<u32>,
}

impl Threads {
    /// Those that are there now, with `process` as the server.
    #[must_use]
    pub fn of(process: u32) -> Self {
        Self::read(Path::new("/proc"), process)
    }

    /// Those of the server alone, which is a matter of microseconds.
    #[must_use]
    pub fn of_server(process: u32) -> Self {
        Self {
            server: tasks(Path::new("/proc"), process).collect(),
            kernel: BTreeSet::new(),
        }
    }

    fn read(proc: &Path, process: u32) -> Self {
        let is_kernels = |&id: &u32| {
            let stat = fs::read_to_string(proc.join(id.to_string()).join("stat"));
            id == KTHREADD || stat.is_ok_and(|stat| parent(&stat) == Some(KTHREADD))
        };
        Self {
            server: tasks(proc, process).collect(),
            kernel: numbers(proc).filter(is_kernels).collect(),
        }
    }

    /// Adds those of `other`.
    pub fn merge(&mut self, other: Self) {
        self.server.extend(other.server);
        self.kernel.extend(other.kernel);
    }

    /// What the thread `tid`, called `name`, is there for.
    ///
    /// Names are those that the server, its background and the client give their threads. The client may run in the
    /// server's process.
    #[must_use]
    pub fn kind(&self, tid: u32, name: &str) -> ThreadKind {
        if tid == 0 {
            return ThreadKind::Idle;
        }
        match (self.server.contains(&tid), name) {
            (_, "load") => ThreadKind::Client,
            (true, "conn") => ThreadKind::Connection,
            (true, "leftovers") => ThreadKind::Leftovers,
            (true, "patrol") => ThreadKind::Patrol,
            (true, _) => ThreadKind::Server,
            // Workers of the kernel come and go.
            (false, _) if self.kernel.contains(&tid) || name.starts_with("kworker/") => ThreadKind::Kernel,
            (false, _) => ThreadKind::Other,
        }
    }
}

/// The threads of a process.
fn tasks(proc: &Path, process: u32) -> impl Iterator<Item = u32> + use<> {
    numbers(&proc.join(process.to_string()).join("task"))
}

/// The entries of a folder that are numbers; none if it is gone.
fn numbers(folder: &Path) -> impl Iterator<Item = u32> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The fourth field, after the name in parentheses, which may hold anything (`proc_pid_stat(5)`).
fn parent(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_process_and_name() {
        let threads = Threads {
            server: BTreeSet::from([10, 11, 12, 13, 14]),
            kernel: BTreeSet::from([2, 15]),
        };
        for (tid, name, kind) in [
            (0, "swapper/0", ThreadKind::Idle),
            (10, "cede", ThreadKind::Server),
            (11, "conn", ThreadKind::Connection),
            (12, "patrol", ThreadKind::Patrol),
            (13, "leftovers", ThreadKind::Leftovers),
            (14, "load", ThreadKind::Client),
            (20, "load", ThreadKind::Client),
            (20, "conn", ThreadKind::Other),
            (15, "ksoftirqd/0", ThreadKind::Kernel),
            (99, "kworker/u4:3", ThreadKind::Kernel),
        ] {
            assert_eq!(threads.kind(tid, name), kind, "{tid} {name}");
        }
    }

    #[test]
    fn a_parent_is_found_behind_any_name() {
        assert_eq!(parent("17 (ksoftirqd/0) S 2 0 0 0 -1"), Some(2));
        assert_eq!(parent("17 (a) S 9 (b) R 3 0"), Some(3));
        assert_eq!(parent(""), None);
    }

    #[test]
    fn this_process_is_found_with_all_its_threads() {
        let here = rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs();
        let mut threads = Threads::of(std::process::id());
        assert!(threads.server.contains(&here) && threads.server.contains(&std::process::id()));
        let alone = Threads::of_server(std::process::id());
        assert!(alone.server.contains(&here) && alone.kernel.is_empty());
        let before = threads.clone();
        threads.merge(Threads::of(u32::MAX));
        assert_eq!(
            threads.server, before.server,
            "a process that is not there has no threads"
        );
    }
}
