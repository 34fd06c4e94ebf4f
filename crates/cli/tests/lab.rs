//! Comparisons on real kernels: what they show, that they show it again, and that nothing is lost on the way.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::{
    collections::BTreeSet,
    fs,
    sync::atomic::{AtomicBool, Ordering},
};

use serde_json::Value;
use support::lab::{Lab, SHORT};

/// The cell of a kernel and a variant.
fn cell<'a>(report: &'a Value, kernel: &str, variant: &str) -> &'a Value {
    let cells = report["cells"].as_array().unwrap();
    cells
        .iter()
        .find(|cell| cell["kernel"].as_str().unwrap().starts_with(kernel) && cell["variant"] == variant)
        .unwrap()
}

fn digest(report: &Value) -> String {
    let digest = report["cells"][0]["digest"].as_str().unwrap();
    assert_eq!(digest.len(), 64, "{digest}");
    digest.to_owned()
}

/// Virtual time: the numbers are the same on every machine that runs this build.
#[test]
fn a_yield_that_forfeits_costs_throughput_and_short_requests() {
    let Some(lab) = Lab::new() else { return };
    let report = lab.compare(&[
        "--kernel=6.1",
        "--kernel=6.12",
        "--variant=baseline",
        "--variant=no-yield",
        "--quiet",
    ]);
    let reference = cell(&report, "6.1.", "baseline");
    let ratio = |kernel, variant, number: fn(&Value) -> f64| {
        number(cell(&report, kernel, variant)) / number(reference)
    };
    let throughput = |cell: &Value| cell["throughput_ops"].as_f64().unwrap();
    let read_p50 = |cell: &Value| cell["operations"]["read"]["p50_us"].as_f64().unwrap();
    let update_p99 = |cell: &Value| cell["operations"]["update"]["p99_us"].as_f64().unwrap();
    assert!(ratio("6.12.", "baseline", throughput) < 0.96, "{report:#}");
    assert!(ratio("6.12.", "baseline", read_p50) > 2.0, "{report:#}");
    assert!(ratio("6.12.", "no-yield", read_p50) < 1.4, "{report:#}");
    assert!(ratio("6.12.", "no-yield", update_p99) > 1.5, "{report:#}");
    assert_eq!(
        (reference["era"].as_str(), reference["errors"].as_u64()),
        (Some("cfs"), Some(0))
    );
}

#[test]
fn a_digest_is_the_same_again_and_another_for_another_run() {
    let Some(lab) = Lab::new() else { return };
    let done = AtomicBool::new(false);
    let digests = std::thread::scope(|scope| {
        // A host that has other things to do changes nothing.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        let base = [&SHORT[..], &["--variant=baseline"]].concat();
        let run = |more: &[&str]| digest(&lab.compare(&[&base[..], more].concat()));
        // Several boots at a time, each with its second one, keep out of each other's way.
        let first = run(&["--kernel=6.12", "--verify", "--variant=no-yield", "--jobs=2"]);
        let others = [
            run(&["--kernel=6.12", "--seed=2"]),
            run(&["--kernel=6.12", "--set=think_us=200"]),
            run(&["--kernel=6.1"]),
        ];
        done.store(true, Ordering::Relaxed);
        others.into_iter().chain([first]).collect::<BTreeSet<_>>()
    });
    assert_eq!(digests.len(), 4, "{digests:?}");
}

#[test]
fn every_request_that_the_server_decoded_was_reported() {
    let Some(lab) = Lab::new() else { return };
    let report = lab.compare(&[&SHORT[..], &["--kernel=6.12", "--variant=baseline"]].concat());
    let records = lab.records();
    let [record] = records.as_slice() else {
        panic!("{records:?}")
    };
    let raw: Value = serde_json::from_slice(&fs::read(record.join("raw.json")).unwrap()).unwrap();
    let counts = raw["commands"].as_object().unwrap();
    let reported: u64 = counts.values().map(|count| count.as_u64().unwrap()).sum();
    let decoded = &raw["status"]["end"]["cede"]["transport"]["requests"];
    // Extended JSON writes a 64-bit number as an object that holds its digits.
    let decoded: u64 = decoded["$numberLong"].as_str().unwrap().parse().unwrap();
    assert_eq!(decoded, reported, "{counts:?}");

    let operations = report["cells"][0]["operations"].as_object().unwrap();
    let completed: u64 = operations
        .values()
        .map(|operation| operation["count"].as_u64().unwrap())
        .sum();
    assert_eq!(raw["commands"]["measured"], completed);
    assert!(completed > 100, "{completed}");
}

#[test]
fn several_cpus_serve_on_every_kernel() {
    let Some(lab) = Lab::new() else { return };
    let base = [&SHORT[..], &["--variant=no-yield", "--set=cpus=2"]].concat();
    for client in [None, Some("--set=client_cpus=1")] {
        let args: Vec<&str> = base
            .iter()
            .copied()
            .chain(["--kernel=6.1", "--kernel=6.12"])
            .chain(client)
            .collect();
        let report = lab.compare(&args);
        for kernel in ["6.1.", "6.12."] {
            let cell = cell(&report, kernel, "no-yield");
            assert!(cell["throughput_ops"].as_f64().unwrap() > 0.0);
            let notes = cell["notes"].to_string();
            let expected = client.map_or("share CPU 0-1", |_| "server on CPU 0-1, client on CPU 2");
            assert!(notes.contains(expected), "{notes}");
        }
    }
}
