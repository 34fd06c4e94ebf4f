//! Records of runs: what went in, the console, and what came out. A folder for each command that runs cells, and in it
//! one for each cell.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{Cache, CacheError};

/// The file of a cell's record with what its guest printed on the console.
pub const CONSOLE: &str = "console.log";
/// The file with the frames that the guest sent.
pub(crate) const REPORT: &str = "report.bin";
/// The file with QEMU's own words.
pub(crate) const QEMU: &str = "qemu.log";
/// The file with what the guest was ordered.
pub(crate) const ORDER: &str = "order.json";

/// The file with everything that the client and the server counted: the client's whole output, JSON.
pub(crate) const RAW: &str = "raw.json";
/// The file with what a trace came to, thread by thread, JSON; only of a traced cell.
pub(crate) const OFF_CPU: &str = "off-cpu.json";

/// The guest's file system, which is removed when the machine has ended: it can be made again from the program and the
/// order, and is by far the largest part of a record.
pub(crate) const INITRAMFS: &str = "initramfs.cpio";

/// A new folder in the cache, named after the time and this process.
///
/// # Errors
/// If it cannot be created.
pub fn new_folder(cache: &Cache) -> Result<PathBuf, CacheError> {
    sweep(&cache.folder("runs")?);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    cache.folder(&format!("runs/{now}-{}", std::process::id()))
}

/// Removes what programs that were killed could not: the file systems of their guests. What cannot be read or removed is
/// left to another time.
fn sweep(runs: &Path) {
    for run in folders(runs) {
        let name = run.file_name().unwrap_or_default().to_string_lossy();
        let process = name.rsplit('-').next().unwrap_or_default();
        if Path::new("/proc").join(process).exists() {
            continue;
        }
        for record in folders(&run).chain([run.clone()]) {
            let _not_there = fs::remove_file(record.join(INITRAMFS));
        }
    }
}

fn folders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_uses_is_swept() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::at(root.path()).unwrap();
        let run = |process: &str| {
            let record = cache.folder(&format!("runs/1-{process}/001-6.1")).unwrap();
            for name in [INITRAMFS, CONSOLE] {
                fs::write(record.join(name), "x").unwrap();
            }
            record
        };
        // Process ids end below 2^22 (proc(5), pid_max).
        let (gone, own) = (run("4194305"), run(&std::process::id().to_string()));
        new_folder(&cache).unwrap();
        assert!(!gone.join(INITRAMFS).exists() && gone.join(CONSOLE).exists());
        assert!(own.join(INITRAMFS).exists());
    }
}
