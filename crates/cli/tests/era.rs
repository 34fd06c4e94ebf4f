//! The quick probe: right on every kernel that is there, without a hint from its version, and honest in a container that
//! forbids what it needs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::process::Command;

use serde_json::Value;
use support::{lab::Lab, python, stderr};

/// Answers of each guest.
const TIMES: &str = "10";

fn answers(command: &mut Command) -> Vec<Value> {
    let output = command.args(["--json", "-"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_forfeit_is_seen_on_every_cached_kernel() {
    let Some(lab) = Lab::new() else { return };
    let kernels = lab.kernels();
    for (kernel, era) in &kernels {
        // Tunables as on 8 CPUs with one, and the kernel's own with two.
        for machine in [&["--cpus=1"][..], &["--cpus=2", "--own-tunables"]] {
            for witnesses in [&[][..], &["--ignore-accounts"]] {
                let mut command = lab.cede();
                command.args(["lab", "exec", "--kernel", kernel]).args(machine);
                command.args(["probe", "--quick", "--ignore-version", "--times", TIMES]);
                let answers = answers(command.args(witnesses));
                assert_eq!(answers.len(), TIMES.parse::<usize>().unwrap());
                let forfeits = Value::Bool(era == "eevdf-forfeit");
                let exact = Value::Bool(kernel.starts_with("7."));
                for answer in &answers {
                    let is = |name: &str, truth: &Value| answer[name] == *truth;
                    assert!(
                        is("forfeits", &forfeits) && is("forfeits_measured", &Value::Bool(true)),
                        "{kernel} {machine:?} {answer:#}"
                    );
                    // 20 ms can be too little for this one, but not too little to be right.
                    assert!(
                        is("exact_slices", &exact) || is("exact_slices", &Value::Null),
                        "{kernel} {machine:?} {answer:#}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_container_that_forbids_calls_gets_the_same_answer_or_the_versions() {
    let Some(python) = python("ctypes") else { return };
    let sandbox = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/without_calls.py");
    for refused in [
        "sched_setattr",
        "sched_setaffinity",
        "sched_setattr,sched_setaffinity",
        "sched_getattr",
    ] {
        let mut command = Command::new(&python);
        command.args([sandbox, refused, env!("CARGO_BIN_EXE_cede"), "probe", "--quick"]);
        let answers = answers(&mut command);
        let [answer] = answers.as_slice() else {
            panic!("{answers:?}")
        };
        let by_version = answer["evidence"].as_str().unwrap().contains("y its version");
        assert!(answer["forfeits_measured"] == true || by_version, "{answer:#}");
        if refused.starts_with("sched_setattr") {
            assert_eq!(answer["custom_slice"], false, "{answer:#}");
        }
        if refused == "sched_getattr" {
            assert_eq!(answer["forfeits_measured"], false, "{answer:#}");
        }
    }
}

#[test]
fn its_options_need_it() {
    for option in ["--times=2", "--ignore-version", "--ignore-accounts"] {
        let output = support::cede().args(["probe", option]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(stderr(&output).contains("--quick"), "{}", stderr(&output));
    }
}
