//! The Node driver and mongosh against `cede serve`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use support::{Serve, stderr, stdout};

/// The folder with the clients. `cargo xtask check` installs them and says where; it also says that skipping is no
/// option. Anywhere else a test without them is skipped, with a line.
fn node_modules() -> Option<PathBuf> {
    let modules = std::env::var_os("CEDE_NODE_MODULES").map(PathBuf::from);
    if modules.is_none() {
        assert!(
            std::env::var_os("CEDE_REQUIRE_NODE").is_none(),
            "CEDE_NODE_MODULES is not set"
        );
        #[allow(clippy::print_stderr, reason = "the line that a skipped test owes")]
        {
            eprintln!(
                "skipped: `cargo xtask check` installs the Node driver and mongosh, or set CEDE_NODE_MODULES"
            );
        }
    }
    modules
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/clients")
        .join(name)
}

fn assert_well(engine: &str, command: &mut Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{engine}: {}{}",
        stdout(&output),
        stderr(&output)
    );
    assert_eq!(stdout(&output).trim(), "all well");
}

#[test]
fn the_node_driver_does_its_operations() {
    let Some(modules) = node_modules() else { return };
    for engine in support::engines() {
        let server = Serve::start(&["--engine", engine]);
        let mut command = Command::new("node");
        command.arg(script("operations.cjs")).arg(server.uri());
        assert_well(engine, command.env("NODE_PATH", &modules));
    }
}

#[test]
fn mongosh_does_its_operations() {
    let Some(modules) = node_modules() else { return };
    // It keeps settings and logs in its user's home.
    let home = tempfile::tempdir().unwrap();
    let server = Serve::start(&["--engine", "memory"]);
    let mut command = Command::new("node");
    command
        .arg(modules.join("mongosh/bin/mongosh.js"))
        .args(["--quiet", "--norc", &server.uri(), "--file"])
        .arg(script("operations.mongosh.js"))
        .env("HOME", home.path());
    assert_well("memory", &mut command);
}
