//! Who wins, and when nobody does.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic, its helpers too"
)]

mod fixture;

use std::collections::BTreeMap;

use fixture::{FORFEIT, host, latency, matrix};
use report::Comparison;
use scenario::{Operation, Outcome, Scenario, Variant, Workload};

/// Per round, the noise of the first, the second and the third cell, and so on in turn.
const NOISE: [[f64; 3]; 3] = [[1.0, 1.01, 0.99], [1.01, 0.99, 1.0], [0.99, 1.0, 1.01]];

/// The verdict on baseline and `rivals`, given throughput, read p50, and p99 of both operations as factors of
/// baseline's.
fn verdict(rivals: &[(Variant, [f64; 3], u64)]) -> String {
    let variants: Vec<Variant> = std::iter::once(Variant::Baseline)
        .chain(rivals.iter().map(|rival| rival.0))
        .collect();
    let cells = matrix(&[FORFEIT], &[Workload::Read50Update50], &variants);
    let mut comparison = Comparison::new(host(), Scenario::default(), cells);
    let baseline = (Variant::Baseline, [1.0, 1.0, 1.0], 0);
    for noise in NOISE {
        for (cell, (_, factors, errors)) in std::iter::once(&baseline).chain(rivals).enumerate() {
            let [throughput, p50, p99] = factors.map(|factor| factor * noise[cell % 3]);
            comparison.add(
                cell,
                Outcome {
                    throughput_ops: 4000.0 * throughput,
                    operations: BTreeMap::from([
                        (Operation::Read, latency(1000, 1000.0 * p50, 5000.0 * p99)),
                        (Operation::Update, latency(1000, 2000.0 * p50, 5000.0 * p99)),
                    ]),
                    errors: *errors,
                    ..Outcome::default()
                },
            );
        }
    }
    let table = comparison.report().table(None);
    let line = table
        .lines()
        .find(|line| line.starts_with("Verdict on ycsb_50read50update"))
        .unwrap();
    line.trim_start_matches("Verdict on ycsb_50read50update")
        .to_owned()
}

#[test]
fn equal_variants_have_no_winner() {
    assert_eq!(
        verdict(&[(Variant::Capped, [1.0; 3], 0)]),
        ": no difference beyond noise against baseline"
    );
}

#[test]
fn a_winner_is_named_with_what_it_costs_elsewhere() {
    assert_eq!(
        verdict(&[(Variant::NoYield, [1.2, 0.5, 3.0], 0)]),
        ", against baseline: best throughput no-yield (+20%); best read p50 no-yield (-50%, its p99 x3.00); \
         best update p99 baseline, unbeaten (furthest from it: no-yield x3.00)"
    );
}

#[test]
fn variants_that_cannot_be_told_apart_are_level() {
    let verdict = verdict(&[
        (Variant::Capped, [1.3, 1.0, 1.0], 0),
        (Variant::NoYield, [1.31, 1.0, 1.0], 0),
        (Variant::PatchF, [1.1, 1.0, 1.0], 0),
    ]);
    assert_eq!(
        verdict,
        ", against baseline: best throughput no-yield (+31%), level with capped; \
         read p50 no difference beyond noise; update p99 no difference beyond noise"
    );
}

#[test]
fn a_winner_with_failed_operations_says_so() {
    let verdict = verdict(&[(Variant::Capped, [2.0, 1.0, 1.0], 5)]);
    assert!(
        verdict.contains("best throughput capped (x2.00, with 15 errors)"),
        "{verdict}"
    );
}

#[test]
fn a_workload_without_rivals_has_no_verdict() {
    assert_eq!(verdict(&[]), ": no verdict, nothing to compare with");
}
