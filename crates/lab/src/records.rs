//! Records of runs: what went in, the console, and what came out. A folder for each command that runs cells, and in it
//! one for each cell.

use std::{
    path::PathBuf,
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

/// A new folder in the cache, named after the time.
///
/// # Errors
/// If it cannot be created.
pub fn new_folder(cache: &Cache) -> Result<PathBuf, CacheError> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    cache.folder(&format!("runs/{now}-{}", std::process::id()))
}
