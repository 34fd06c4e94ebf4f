//! What users and scripts read, to the letter. `SNAPSHOTS=overwrite cargo test -p report` accepts a change.

mod fixture;

use fixture::{CFS, FORFEIT, FORFEIT_IN_LAB, comparison, matrix};
use report::Report;
use scenario::{Variant, Workload};
use snapbox::{assert_data_eq, file};

fn default_comparison(rounds: usize) -> Report {
    let cells = matrix(&[FORFEIT], &[Workload::Read50Update50], &Variant::DEFAULT);
    comparison(&cells, rounds).report()
}

fn two_kernels() -> Report {
    let workloads = [Workload::Read50Update50, Workload::Read100];
    let variants = [Variant::Baseline, Variant::NoYield];
    comparison(&matrix(&[CFS, FORFEIT_IN_LAB], &workloads, &variants), 5).report()
}

#[test]
fn a_table_without_a_limit_has_one_line_per_cell() {
    assert_data_eq!(default_comparison(3).table(None), file!["golden/default.txt"]);
}

#[test]
fn a_narrow_table_stacks_and_parts() {
    assert_data_eq!(default_comparison(3).table(Some(80)), file!["golden/narrow.txt"]);
}

#[test]
fn one_repeat_has_no_intervals_and_no_verdict() {
    assert_data_eq!(default_comparison(1).table(None), file!["golden/one_repeat.txt"]);
}

#[test]
fn several_kernels_and_workloads_are_named() {
    assert_data_eq!(two_kernels().table(None), file!["golden/two_kernels.txt"]);
}

#[test]
fn several_names_share_a_column_in_a_narrow_table() {
    assert_data_eq!(
        two_kernels().table(Some(90)),
        file!["golden/two_kernels_narrow.txt"]
    );
}

#[test]
fn json_follows_the_contract() {
    let variants = [Variant::Baseline, Variant::NoYield];
    let cells = matrix(&[FORFEIT], &[Workload::Read100], &variants);
    let json = comparison(&cells, 2).report().to_json().unwrap();
    assert_data_eq!(json, file!["golden/report.json": Text]);
}
