//! Results in files and on standard output, and lines on standard error.

use std::{
    fmt::Display,
    fs,
    io::{ErrorKind, Write, stderr, stdout},
    path::Path,
};

use serde::Serialize;

use crate::failure::Failure;

/// Writes `result` as JSON to `file`, or to standard output for `-`. Unless standard output is taken by that,
/// what `otherwise` says for people is printed there.
pub(crate) fn write_json_or(
    file: Option<&Path>,
    result: &impl Serialize,
    otherwise: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let Some(file) = file else {
        return print(&otherwise());
    };
    let json = serde_json::to_string_pretty(result).map_err(Failure::run)?;
    if file == Path::new("-") {
        return print(&format!("{json}\n"));
    }
    let printed = print(&otherwise());
    write(file, &json).and(printed)
}

/// Prints on standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut output = stdout().lock();
    let printed = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    printed.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::NobodyReads,
        _ => Failure::run(format!("cannot write to standard output: {error}")),
    })
}

/// Prints a line on standard error, with the program's name.
pub(crate) fn tell(line: impl Display) {
    // Where that fails there is no place left to say so.
    let _unread = writeln!(stderr(), "cede: {line}");
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
