//! `--trace`: where connection threads are while they are off the CPU.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use serde_json::Value;
use support::{SHORT, lab::Lab, run, stderr, stdout};

/// Shares that the kernel and the primitive tell of the same yields, at both ends of the measured part not quite at the
/// same time.
const TOLERANCE: f64 = 0.05;

fn number(value: &Value, path: &str) -> f64 {
    value.pointer(path).and_then(Value::as_f64).unwrap_or_default()
}

fn assert_accounts_for_all_time(cell: &Value) {
    let causes = cell["off_cpu"]["by_cause"].as_object().unwrap();
    let off: f64 = causes.values().map(|cause| number(cause, "/share")).sum();
    let on = number(cell, "/off_cpu/on_cpu_share");
    assert!((on + off - 1.0).abs() < 1e-9, "{cell}");
    assert!(number(cell, "/off_cpu/connections") >= 8.0, "{cell}");
    assert!(cell["notes"].to_string().contains("traced: "), "{cell}");
}

#[test]
fn this_host_is_traced_or_the_run_is_refused_before_it_begins() {
    let output = run(&[&SHORT[..], &["--trace", "--json=-"]].concat());
    let message = stderr(&output);
    if output.status.success() {
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_accounts_for_all_time(&report["cells"][0]);
    } else {
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(
            message.starts_with("cede: cannot trace in /sys/kernel/tracing/instances/"),
            "{message}"
        );
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn a_guest_is_traced_and_its_trace_is_the_same_each_time() {
    let Some(lab) = Lab::new() else { return };
    let report = lab.compare(&[
        "--trace",
        "--verify",
        "--kernel=6.12",
        "--variant=baseline",
        "--seconds=0.2",
        "--quiet",
    ]);
    let cell = &report["cells"][0];
    assert_accounts_for_all_time(cell);
    let counted = number(cell, "/yields/off_cpu_share");
    let traced = number(cell, "/off_cpu/by_cause/yield/share");
    assert!(
        traced > 0.5 && (counted - traced).abs() < TOLERANCE,
        "{counted} counted, {traced} traced"
    );
    let ran = cell["off_cpu"]["ran_meanwhile_us"].as_object().unwrap();
    assert_eq!(ran.keys().next().unwrap(), "connections", "{cell}");
    assert!(number(cell, "/off_cpu/ran_meanwhile_us/patrol") > 0.0, "{cell}");
}
