//! What `cede compare` says where the kernel refuses custom slices, as in some containers.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::process::Command;

use serde_json::Value;
use support::{python, stderr, stdout};

#[test]
fn a_refused_slice_is_one_clear_line_and_the_run_goes_on() {
    let Some(python) = python("ctypes") else { return };
    let sandbox = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/without_calls.py");
    let output = Command::new(python)
        .args([
            sandbox,
            "sched_setattr",
            env!("CARGO_BIN_EXE_cede"),
            "compare",
            "--engine=memory",
            "--connections=4",
        ])
        .args([
            "--seconds=0.2",
            "--set=warmup_s=0.1",
            "--set=records=100",
            "--repeat=1",
            "--json=-",
        ])
        .args(["--variant=baseline", "--variant=capped"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let notes = |cell: usize| -> Vec<String> {
        serde_json::from_value(report["cells"][cell]["notes"].clone()).unwrap()
    };
    let about_slices = |notes: &[String]| notes.iter().filter(|note| note.contains("slice")).count();
    assert_eq!(about_slices(&notes(0)), 0, "{:?}", notes(0));
    assert_eq!(about_slices(&notes(1)), 1, "{:?}", notes(1));
    assert!(
        notes(1)
            .iter()
            .any(|note| note.starts_with("the kernel refused the slice")),
        "{:?}",
        notes(1)
    );
}
