//! What users and scripts read, to the letter. `SNAPSHOTS=overwrite cargo test -p report` accepts a change.

mod fixture;

use fixture::{CFS, FORFEIT, FORFEIT_IN_LAB, comparison, controlled_comparison, matrix, traced_comparison};
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

fn traced() -> Report {
    let variants = [Variant::Baseline, Variant::NoYield];
    let cells = matrix(&[CFS, FORFEIT_IN_LAB], &[Workload::Read50Update50], &variants);
    traced_comparison(&cells, 2).report()
}

#[test]
fn a_trace_tells_why_threads_were_off_the_cpu_and_who_ran() {
    assert_data_eq!(traced().table(None), file!["golden/traced.txt"]);
}

#[test]
fn tables_of_a_trace_keep_to_a_narrow_terminal() {
    assert_data_eq!(traced().table(Some(80)), file!["golden/traced_narrow.txt"]);
}

#[test]
fn the_page_has_the_tables_of_a_trace() {
    let page = traced().html();
    let section = page.split("<section id=\"off-cpu\">").nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    assert_data_eq!(
        section.replace("<tr", "\n<tr"),
        file!["golden/traced_section.html": Text]
    );
}

#[test]
fn json_has_a_trace_only_of_a_traced_cell() {
    let cells = matrix(&[FORFEIT], &[Workload::Read100], &[Variant::Baseline]);
    let json = |report: &Report| -> serde_json::Value { serde_json::to_value(report).unwrap() };
    let traced = json(&traced_comparison(&cells, 2).report());
    let text = serde_json::to_string_pretty(&traced["cells"][0]["off_cpu"]).unwrap();
    assert_data_eq!(text + "\n", file!["golden/off_cpu.json": Text]);
    let untraced = json(&comparison(&cells, 2).report());
    assert!(untraced["cells"][0].get("off_cpu").is_none());
}

fn controlled() -> Report {
    let cells = matrix(
        &[CFS, FORFEIT_IN_LAB],
        &[Workload::Read50Update50],
        &[Variant::Baseline],
    );
    controlled_comparison(&cells, 2).report()
}

#[test]
fn admission_control_has_a_table_of_its_own() {
    assert_data_eq!(controlled().table(None), file!["golden/admission.txt"]);
}

#[test]
fn json_has_the_controllers_ticks() {
    let json = serde_json::to_value(controlled()).unwrap();
    let text = json["cells"][1]["admission"].to_string();
    assert_data_eq!(text + "\n", file!["golden/admission.json": Text]);
}

#[test]
fn the_page_draws_tickets_and_throughput_over_time() {
    let page = controlled().html();
    let figures: Vec<&str> = page.split("<figure>").skip(1).collect();
    let over_time = figures.iter().filter(|figure| figure.contains("over time"));
    let text: String = over_time
        .map(|figure| figure.split("</figure>").next().unwrap())
        .collect();
    assert_data_eq!(
        text.replace("<path", "\n<path").replace("<g ", "\n<g ") + "\n",
        file!["golden/admission_plots.html": Text]
    );
    assert!(page.contains("<section id=\"admission\">"));
    let without = default_comparison(1).html();
    assert!(!without.contains("over time") && !without.contains("<section id=\"admission\">"));
}
