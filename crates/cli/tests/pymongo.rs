//! PyMongo against `cede serve`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::process::Command;

use support::{Serve, python, stderr, stdout};

#[test]
fn pymongo_reads_and_writes() {
    run(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reads_and_writes.py"));
}

#[test]
fn pymongo_does_its_operations() {
    run(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/clients/operations.py"
    ));
}

fn run(script: &str) {
    let Some(python) = python("pymongo") else { return };
    for engine in support::engines() {
        let server = Serve::start(&["--engine", engine]);
        let output = Command::new(&python)
            .args([script, &server.uri()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{engine}: {}", stderr(&output));
        assert_eq!(stdout(&output).trim(), "all well");
    }
}
