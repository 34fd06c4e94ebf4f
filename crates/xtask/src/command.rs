//! Child processes: how they are started, shown to the user, and judged by their exit status.

use std::{
    ffi::OsStr,
    fmt::Write as _,
    io::{self, BufRead as _, BufReader},
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

use thiserror::Error;

/// Why a child process did not do its work.
#[derive(Debug, Error)]
pub(crate) enum CommandError {
    #[error("`{command}` could not be started: {source}")]
    Start { command: String, source: io::Error },
    #[error("output of `{command}` could not be passed on: {source}")]
    Output { command: String, source: io::Error },
    #[error("`{command}` failed, {status}")]
    Failed { command: String, status: ExitStatus },
}

/// The cargo that runs this program, so that one toolchain does everything.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Runs `command` with the output of this process.
pub(crate) fn run(command: &mut Command) -> Result<(), CommandError> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|source| start_error(command, source))?;
    judge(command, status)
}

/// Runs `command` and gives what it printed to standard output, even if it failed.
pub(crate) fn capture(command: &mut Command) -> Result<(ExitStatus, Vec<u8>), CommandError> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| start_error(command, source))?;
    Ok((output.status, output.stdout))
}

/// Runs `command` and passes its standard output on to `sink`, line by line, while `observe` sees each line.
pub(crate) fn run_observed(
    command: &mut Command,
    mut sink: impl io::Write,
    mut observe: impl FnMut(&str),
) -> Result<(), CommandError> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| start_error(command, source))?;
    let passed_on = child.stdout.take().map_or(Ok(()), |stdout| {
        let mut lines = BufReader::new(stdout);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            sink.write_all(&line)?;
            observe(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
        Ok(())
    });
    let status = child.wait().map_err(|source| start_error(command, source))?;
    passed_on.map_err(|source| CommandError::Output {
        command: shown(command),
        source,
    })?;
    judge(command, status)
}

/// An error unless `status` is success.
pub(crate) fn judge(command: &Command, status: ExitStatus) -> Result<(), CommandError> {
    if status.success() {
        return Ok(());
    }
    Err(CommandError::Failed {
        command: shown(command),
        status,
    })
}

/// The command the way one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let mut text = String::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            let _ = write!(text, "{}={} ", name.display(), quoted(value));
        }
    }
    let program = Path::new(command.get_program());
    text.push_str(&quoted(program.file_name().unwrap_or(program.as_os_str())));
    for argument in command.get_args() {
        let _ = write!(text, " {}", quoted(argument));
    }
    text
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn start_error(command: &Command, source: io::Error) -> CommandError {
    CommandError::Start {
        command: shown(command),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_so_that_a_shell_reads_it_back() {
        let mut command = Command::new("/usr/bin/printf");
        command.env("A", "1 2").args(["%s", "it's", ""]);
        assert_eq!(shown(&command), r"A='1 2' printf %s 'it'\''s' ''");
    }

    #[test]
    fn every_line_is_observed_also_one_without_an_end() {
        let mut lines = Vec::new();
        let mut passed_on = Vec::new();
        let result = run_observed(Command::new("printf").arg("one\ntwo"), &mut passed_on, |line| {
            lines.push(line.to_owned());
        });
        result.unwrap();
        assert_eq!(lines, ["one", "two"]);
        assert_eq!(passed_on, b"one\ntwo");
    }

    #[test]
    fn a_failure_names_the_command_and_its_status() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(error.to_string(), "`sh -c 'exit 3'` failed, exit status: 3");
        let error = run(&mut Command::new("no-such-program")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`no-such-program` could not be started")
        );
    }
}
