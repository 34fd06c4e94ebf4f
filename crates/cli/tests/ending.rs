//! How comparisons end that do not come to their end.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::{
    io::{BufRead, BufReader},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::Value;
use support::{SHORT, Serve, cede, children, stderr, stdout};

#[test]
fn ctrl_c_keeps_what_is_done_and_marks_it() {
    let mut args = SHORT.to_vec();
    args.retain(|argument| !argument.starts_with("--repeat"));
    let mut child = cede()
        .args(args)
        .args(["--repeat=500", "--json=-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(
        progress
            .by_ref()
            .any(|line| line.unwrap().starts_with("round 2 of 500"))
    );
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let last = progress.map(Result::unwrap).last().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(last.contains("interrupted"), "{last}");
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["partial"], true);
    assert_eq!(
        report["cells"].as_array().unwrap().len(),
        2,
        "the first round was complete"
    );
}

#[test]
fn ctrl_c_ends_a_server_that_has_no_descriptor_left() {
    const LIMIT: usize = 24;
    let script = format!(
        "ulimit -n {LIMIT}; exec '{}' serve --port 0 --engine memory",
        env!("CARGO_BIN_EXE_cede")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]);
    let mut server = Serve::spawn(command);
    let files = format!("/proc/{}/fd", server.pid());
    let open = || std::fs::read_dir(&files).unwrap().count();
    let mut clients = Vec::new();
    while open() < LIMIT {
        let before = open();
        clients.push(TcpStream::connect(&server.address).unwrap());
        while open() == before {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let id = rustix::process::Pid::from_child(&server.child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    // A server that hangs ends as a failure.
    let hangs = (0..3000).all(|_| {
        std::thread::sleep(Duration::from_millis(10));
        server.child.try_wait().unwrap().is_none()
    });
    assert!(!hangs && server.child.wait().unwrap().success());
}

#[test]
fn ctrl_c_ends_the_pause_before_the_load() {
    let child = cede()
        .args(["load", "--uri=mongodb://127.0.0.1:1", "--set=settle_s=3600"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    // Before it has its handlers, the signal would end it without a word. That of SIGTERM, 15, is the last.
    while !catches(&std::fs::read_to_string(&status).unwrap(), 15) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "cede: interrupted before the load began\n");
}

/// Whether a process has a handler for the signal of this number, by its status file (proc(5)).
fn catches(status: &str, signal: u32) -> bool {
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
    mask >> (signal - 1) & 1 == 1
}

#[test]
fn a_parent_that_dies_takes_its_halves_and_their_files_along() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, halves) = running_halves(folder.path());
    assert!(
        folder.path().read_dir().unwrap().next().is_some(),
        "the server keeps its files there"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    for half in halves {
        while Path::new(&format!("/proc/{half}")).exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let left: Vec<_> = folder.path().read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_half_that_dies_is_named_and_the_other_cells_go_on() {
    for (half, name) in [("serve", "server"), ("load", "client")] {
        let folder = tempfile::tempdir().unwrap();
        let (child, halves) = running_halves(folder.path());
        let victim = halves
            .iter()
            .copied()
            .find(|&id| command(id).iter().any(|word| word == half))
            .unwrap();
        let victim = rustix::process::Pid::from_raw(victim.cast_signed()).unwrap();
        rustix::process::kill_process(victim, rustix::process::Signal::KILL).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(report["partial"], true);
        let reasons = report["partial_reasons"].to_string();
        assert!(
            reasons.contains(&format!("the {name} failed: signal: 9")),
            "{reasons}"
        );
        assert_eq!(
            report["cells"].as_array().unwrap().len(),
            1,
            "the other cell is complete"
        );
    }
}

/// A comparison whose first cell is running, and the process ids of its halves. The server's files are in `folder`.
fn running_halves(folder: &Path) -> (Child, Vec<u32>) {
    let child = cede()
        .args(SHORT)
        .args([
            "--engine=fjall",
            "--seconds=2",
            "--repeat=1",
            "--quiet",
            "--json=-",
        ])
        .env("TMPDIR", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let halves = halves(child.id());
    (child, halves)
}

fn halves(of: u32) -> Vec<u32> {
    loop {
        let halves = children(of);
        if halves.len() == 2 && halves.iter().all(|&half| !command(half).is_empty()) {
            return halves;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The words of a process's command line; of a process that is just being started, those of its parent.
fn command(id: u32) -> Vec<String> {
    let line = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
    line.split('\0')
        .map(str::to_owned)
        .filter(|word| word == "serve" || word == "load")
        .collect()
}
