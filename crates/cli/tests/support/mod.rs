//! Starts the `cede` binary for tests.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a module of every test file, each of which uses a part of it"
)]

pub mod debian;
pub mod lab;

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
};

/// A comparison that is over soon.
pub const SHORT: [&str; 9] = [
    "compare",
    "--engine=memory",
    "--connections=8",
    "--seconds=0.3",
    "--set=warmup_s=0.1",
    "--set=records=200",
    "--variant=baseline",
    "--variant=no-yield",
    "--repeat=2",
];

/// The engines in which documents survive the server.
pub const DURABLE: &[&str] = &[
    "fjall",
    #[cfg(feature = "wiredtiger")]
    "wiredtiger",
];

/// The engines that keep documents.
pub fn engines() -> impl Iterator<Item = &'static str> {
    std::iter::once("memory").chain(DURABLE.iter().copied())
}

/// The binary under test.
pub fn cede() -> Command {
    Command::new(env!("CARGO_BIN_EXE_cede"))
}

/// Runs it to its end.
pub fn run(args: &[&str]) -> Output {
    cede().args(args).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The processes that the threads of process `of` have started and that have not ended.
pub fn children(of: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{of}/task")).unwrap();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).ok())
        .flat_map(|list| {
            list.split_whitespace()
                .map(|id| id.parse().unwrap())
                .collect::<Vec<u32>>()
        })
        .collect()
}

/// A Python that can import `module`. `cargo xtask check` installs one and says where; it also says that skipping is no
/// option. Anywhere else a test without its Python is skipped, with a line.
pub fn python(module: &str) -> Option<String> {
    let python = std::env::var("CEDE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = format!("import {module}");
    let found = Command::new(&python).args(["-c", &import]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    assert!(
        std::env::var_os("CEDE_REQUIRE_PYMONGO").is_none(),
        "{python} cannot {import}"
    );
    #[allow(clippy::print_stderr, reason = "the line that a skipped test owes")]
    {
        eprintln!(
            "skipped: {python} cannot {import}; `cargo xtask check` installs what is needed, or set CEDE_PYTHON"
        );
    }
    None
}

/// A running `cede serve`. Dropping it ends it.
pub struct Serve {
    pub child: Child,
    pub address: String,
}

impl Serve {
    pub fn start(args: &[&str]) -> Self {
        let mut command = cede();
        command.args(["serve", "--port", "0"]).args(args);
        Self::spawn(command)
    }

    /// By a command that becomes the server.
    pub fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        Self { child, address }
    }

    /// A server that keeps its documents in `folder`.
    pub fn durable(engine: &str, folder: &Path) -> Self {
        Self::start(&["--engine", engine, "--data", folder.to_str().unwrap()])
    }

    pub fn uri(&self) -> String {
        format!("mongodb://{}", self.address)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL: the process gets no chance to tidy up.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        // Also after `kill`, where there is nothing left to end.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
