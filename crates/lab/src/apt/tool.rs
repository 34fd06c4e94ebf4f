//! Runs one of Debian's programs.

use std::{
    fs::File,
    io,
    path::Path,
    process::{Command, Output, Stdio},
};

use super::AptError;

/// Runs `command`, which is to `task`, and gives what it printed. It inherits `lock`, and with it the lock: should
/// this process be killed, the next one still waits for the command's end.
pub(crate) fn run(command: &mut Command, task: &str, lock: &File, folder: &Path) -> Result<String, AptError> {
    let output = output(command, task, lock)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failure(&output, task, folder))
}

fn output(command: &mut Command, task: &str, lock: &File) -> Result<Output, AptError> {
    let lock = lock.try_clone().map_err(AptError::io("share", "the lock"))?;
    command
        .env("LC_ALL", "C")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::from(lock))
        .output()
        .map_err(|error| spawn_failure(&error, task))
}

/// The error for a program that could not be started.
pub(crate) fn spawn_failure(error: &io::Error, task: &str) -> AptError {
    if error.kind() == io::ErrorKind::NotFound {
        return AptError::NoTools;
    }
    AptError::Failed {
        task: task.to_owned(),
        line: error.to_string(),
    }
}

/// The error for a program that ended otherwise than well.
pub(crate) fn failure(output: &Output, task: &str, folder: &Path) -> AptError {
    let said = String::from_utf8_lossy(&output.stderr);
    let line = last_line(&said).unwrap_or_else(|| output.status.to_string());
    if [
        "No space left on device",
        "enough free space",
        "Disk quota exceeded",
    ]
    .iter()
    .any(|full| said.contains(full))
    {
        return AptError::NoSpace {
            folder: folder.to_owned(),
            what: format!("to {task}: {line}"),
        };
    }
    AptError::Failed {
        task: task.to_owned(),
        line,
    }
}

/// What apt says last that tells anything: the last error before its closing words, which say only that there were
/// errors, or else the last line.
fn last_line(said: &str) -> Option<String> {
    const CLOSING: [&str; 3] = [
        "Unable to fetch some archives",
        "Some index files failed",
        "Failed to fetch some",
    ];
    let lines = || said.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let of_kind = |kind: &str| {
        lines()
            .filter_map(|line| line.strip_prefix(kind))
            .map(str::trim)
            .find(|line| !CLOSING.iter().any(|closing| line.starts_with(closing)))
    };
    of_kind("E:")
        .or_else(|| of_kind("W:"))
        .or_else(|| lines().next())
        // Of an error of several lines, this is the first.
        .map(|line| line.trim_end_matches(':').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn failed(stderr: &str) -> String {
        let output = Output {
            status: ExitStatus::from_raw(100 << 8),
            stdout: Vec::new(),
            stderr: stderr.into(),
        };
        failure(&output, "download x", Path::new("/cache")).to_string()
    }

    #[test]
    fn the_last_telling_line_of_apt_is_the_reason() {
        let table = [
            (
                "W: old\nE: Failed to fetch http://m/x  Could not resolve 'm'\nE: Unable to fetch some archives, maybe \
                 run apt-get update\n",
                "cannot download x: Failed to fetch http://m/x  Could not resolve 'm'",
            ),
            (
                "W: Failed to fetch http://m/x  404\nE: Some index files failed to download.\n",
                "cannot download x: Failed to fetch http://m/x  404",
            ),
            ("something else\n", "cannot download x: something else"),
            ("\n", "cannot download x: exit status: 100"),
        ];
        for (stderr, line) in table {
            assert_eq!(failed(stderr), line);
        }
    }

    #[test]
    fn a_full_disk_is_told_as_that() {
        for stderr in [
            "E: You don't have enough free space in /cache/.",
            "E: Write error - write (28: No space left on device)\nE: Unable to fetch some archives",
            "dpkg-deb: error: cannot write: No space left on device",
        ] {
            let line = failed(stderr);
            assert!(
                line.starts_with("no space left in /cache (to download x: "),
                "{line}"
            );
            assert_eq!(line.lines().count(), 1);
        }
    }
}
