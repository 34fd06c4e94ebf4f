use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use thiserror::Error;

const FOLDER: &str = "/sys/kernel/debug/sched";

/// The tunables that decide how long a thread runs, and what each is in thirds of the base slice. EEVDF has the first one;
/// CFS the other three, whose defaults stand in this relation (0.75, 1 and 6 ms, `sysctl_sched_*` in kernel/sched/fair.c
/// of Linux 6.1).
const EEVDF: &[(&str, u32)] = &[("base_slice_ns", 3)];
const CFS: &[(&str, u32)] = &[
    ("min_granularity_ns", 3),
    ("wakeup_granularity_ns", 4),
    ("latency_ns", 24),
];

/// Holds the host's scheduler tunables at values. Dropping it restores those before.
#[derive(Debug)]
pub struct Tunables {
    /// Each file with what was in it.
    before: Vec<(PathBuf, String)>,
    /// Those set, `NAME=VALUE`.
    set: Vec<String>,
}

/// Why the host's tunables cannot be set.
#[derive(Debug, Error)]
#[error(
    "cannot set {}: {source}; expected root, a mounted debugfs, and a kernel with EEVDF (6.6 or later) or CFS (5.13 or later)",
    file.display()
)]
pub struct TunablesError {
    file: PathBuf,
    source: io::Error,
}

impl Tunables {
    /// Sets the base slice of EEVDF for the whole host; on a kernel with CFS, the three tunables that stand for it.
    ///
    /// # Errors
    /// If the kernel has no such settings or does not let this user change them. Then nothing is changed.
    pub fn hold(base_slice: Duration) -> Result<Self, TunablesError> {
        Self::hold_in(Path::new(FOLDER), base_slice)
    }

    fn hold_in(folder: &Path, base_slice: Duration) -> Result<Self, TunablesError> {
        let is_there = |(name, _): &(&str, u32)| folder.join(name).exists();
        let those = if CFS.iter().all(is_there) { CFS } else { EEVDF };
        let mut held = Self {
            before: Vec::new(),
            set: Vec::new(),
        };
        for (name, thirds) in those {
            let file = folder.join(name);
            let nanos = base_slice.as_nanos() * u128::from(*thirds) / 3;
            let written = fs::read_to_string(&file)
                .and_then(|before| fs::write(&file, nanos.to_string()).map(|()| before));
            match written {
                Ok(before) => held.before.push((file, before)),
                // Dropping what is held already takes it back.
                Err(source) => return Err(TunablesError { file, source }),
            }
            held.set.push(format!("{name}={nanos}"));
        }
        Ok(held)
    }

    /// One sentence about what is set.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("during the run: {}", self.set.join(", "))
    }
}

impl Drop for Tunables {
    fn drop(&mut self) {
        for (file, before) in &self.before {
            // It could be written a moment ago; if it no longer can, there is nobody left to tell.
            let _unwritable = fs::write(file, before.trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files, each of which holds a number.
    fn kernel(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            fs::write(folder.path().join(file), "7000000\n").unwrap();
        }
        folder
    }

    fn value(folder: &tempfile::TempDir, name: &str) -> String {
        fs::read_to_string(folder.path().join(name)).unwrap()
    }

    #[test]
    fn each_scheduler_has_its_own_and_gets_them_back() {
        let slice = Duration::from_micros(750);
        let eevdf = kernel(&["base_slice_ns", "features"]);
        let held = Tunables::hold_in(eevdf.path(), slice).unwrap();
        assert_eq!(value(&eevdf, "base_slice_ns"), "750000");
        assert_eq!(held.describe(), "during the run: base_slice_ns=750000");
        drop(held);
        assert_eq!(value(&eevdf, "base_slice_ns"), "7000000");

        let cfs = kernel(&["latency_ns", "min_granularity_ns", "wakeup_granularity_ns"]);
        let held = Tunables::hold_in(cfs.path(), slice).unwrap();
        let values = CFS.iter().map(|(name, _)| value(&cfs, name)).collect::<Vec<_>>();
        assert_eq!(values, ["750000", "1000000", "6000000"]);
        drop(held);
        assert_eq!(value(&cfs, "latency_ns"), "7000000");
    }

    #[test]
    fn a_kernel_without_them_is_refused_in_words() {
        let message = Tunables::hold_in(Path::new("/nowhere"), Duration::from_millis(1))
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("cannot set /nowhere/base_slice_ns: "),
            "{message}"
        );
    }
}
