//! Results in files and on standard output.

use std::{fs, path::Path};

use serde::Serialize;

use crate::failure::Failure;

/// Writes `result` as JSON to `file`, or to standard output for `-`. Unless standard output is taken by that,
/// `otherwise` prints for people.
pub(crate) fn write_json_or(
    file: Option<&Path>,
    result: &impl Serialize,
    otherwise: impl FnOnce(),
) -> Result<(), Failure> {
    let Some(file) = file else {
        otherwise();
        return Ok(());
    };
    let json = serde_json::to_string_pretty(result).map_err(Failure::run)?;
    if file == Path::new("-") {
        println!("{json}");
        return Ok(());
    }
    otherwise();
    write(file, &json)
}

/// Writes a file.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| Failure::run(format!("cannot write {}: {error}", file.display())))
}

/// Fails early, before minutes of work, if `file` cannot be written. Leaves what is in it.
pub(crate) fn check_writable(file: &Path) -> Result<(), Failure> {
    if file == Path::new("-") {
        return Ok(());
    }
    fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(file)
        .map(drop)
        .map_err(|error| Failure::usage(format!("cannot write {}: {error}", file.display())))
}
