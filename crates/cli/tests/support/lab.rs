//! The lab for tests: QEMU and two kernels, where they have been fetched.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;

use super::{cede, stderr, stdout};

/// A cell that is over soon, in a guest that has hardly settled: for tests that are not about its numbers.
pub const SHORT: [&str; 6] = [
    "--set=settle_s=0.5",
    "--set=records=100",
    "--set=warmup_s=0.1",
    "--seconds=0.2",
    "--connections=4",
    "--quiet",
];

/// Images of the kernels that tests boot, and a cache of the test's own for the records of its runs.
pub struct Lab {
    cache: TempDir,
    kernels: PathBuf,
}

impl Lab {
    /// None, after a line that says why, where QEMU or a kernel is missing. `cargo xtask check` fetches them and says that
    /// skipping is no option.
    pub fn new() -> Option<Self> {
        let listed = cede().args(["lab", "list"]).output().unwrap();
        let list = stdout(&listed);
        let cached = |name: &str| {
            list.lines()
                .any(|line| line.starts_with(&format!("{name} ")) && line.contains(" MB "))
        };
        let missing = !cached("6.1") || !cached("6.12") || list.contains("no QEMU");
        if missing {
            assert!(
                std::env::var_os("CEDE_REQUIRE_LAB").is_none(),
                "a kernel or QEMU is missing:\n{list}{}",
                stderr(&listed)
            );
            #[allow(clippy::print_stderr, reason = "the line that a skipped test owes")]
            {
                eprintln!("skipped: needs QEMU and kernels; get them with `cede lab fetch 6.1 6.12 --qemu`");
            }
            return None;
        }
        let cache = tempfile::tempdir().unwrap();
        let kernels = ::lab::Cache::of_user().unwrap().folder("").unwrap();
        for shared in ["kernels", "qemu"] {
            if kernels.join(shared).exists() {
                std::os::unix::fs::symlink(kernels.join(shared), cache.path().join(shared)).unwrap();
            }
        }
        Some(Self { cache, kernels })
    }

    /// The binary under test, with this cache.
    pub fn cede(&self) -> Command {
        let mut command = cede();
        command.env("CEDE_CACHE", self.cache.path());
        command
    }

    /// Names and eras of the cached kernels.
    pub fn kernels(&self) -> Vec<(String, String)> {
        let list = stdout(&self.cede().args(["lab", "list"]).output().unwrap());
        let kernels: Vec<_> = list
            .lines()
            .filter(|line| line.contains(" MB "))
            .filter_map(|line| {
                let mut words = line.split_whitespace();
                let (name, _version, era) = (words.next()?, words.next()?, words.next()?);
                era.starts_with(['c', 'e'])
                    .then(|| (name.to_owned(), era.to_owned()))
            })
            .collect();
        assert!(kernels.len() >= 2, "{list}");
        kernels
    }

    /// Compares in the lab, and gives the JSON; the comparison has to succeed.
    pub fn compare(&self, args: &[&str]) -> Value {
        let output = self
            .cede()
            .args(["compare", "--backend=lab", "--json=-"])
            .args(args)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The image of the cached kernel whose package version begins with `version`.
    pub fn image(&self, version: &str) -> PathBuf {
        fs::read_dir(self.kernels.join("kernels"))
            .unwrap()
            .map(|entry| entry.unwrap())
            .find(|entry| entry.file_name().to_string_lossy().starts_with(version))
            .unwrap()
            .path()
            .join("vmlinuz")
    }

    /// Folders of the cells that were run, in the order of their names.
    pub fn records(&self) -> Vec<PathBuf> {
        let folders = |path: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
            let mut entries: Vec<_> = entries.collect();
            entries.sort();
            entries
        };
        folders(&self.cache.path().join("runs"))
            .iter()
            .flat_map(|run| folders(run))
            .collect()
    }
}
