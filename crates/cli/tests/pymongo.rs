//! PyMongo against `cede serve`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::process::Command;

use support::{Serve, stderr, stdout};

/// A Python that has PyMongo. `cargo xtask check` installs one and says where; it also says that skipping is no option.
fn python() -> Option<String> {
    let python = std::env::var("CEDE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", "import pymongo"]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    assert!(
        std::env::var_os("CEDE_REQUIRE_PYMONGO").is_none(),
        "{python} has no PyMongo"
    );
    #[allow(clippy::print_stderr, reason = "the line that a skipped test owes")]
    {
        eprintln!("skipped: {python} has no PyMongo; `cargo xtask check` installs one, or set CEDE_PYTHON");
    }
    None
}

#[test]
fn pymongo_reads_and_writes() {
    let Some(python) = python() else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reads_and_writes.py");
    for engine in ["memory", "fjall"] {
        let server = Serve::start(&["--engine", engine]);
        let output = Command::new(&python)
            .args([script, &server.uri()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{engine}: {}", stderr(&output));
        assert_eq!(stdout(&output).trim(), "all well");
    }
}
