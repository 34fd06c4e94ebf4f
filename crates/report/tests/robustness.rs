//! What becomes of runs that failed, are missing, or measured nothing.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic, its helpers too"
)]

mod fixture;

use std::collections::BTreeMap;

use fixture::{CFS, FORFEIT, comparison, host, id, latency, matrix, outcome, traced_comparison};
use report::{CellId, Comparison, Metric, Quantile, Report};
use scenario::{
    AdmissionOutcome, Backend, Background, Cause, ContextSwitches, CpuUse, Decision, Distribution, Host,
    OffCpu, OffTime, Operation, OperationOutcome, Outcome, Scenario, ThreadKind, Tick, Variant, Workload,
    Yields,
};

const MIX: Workload = Workload::Read50Update50;

fn pair() -> Vec<CellId> {
    matrix(&[FORFEIT], &[MIX], &[Variant::Baseline, Variant::Capped])
}

fn json(report: &Report) -> serde_json::Value {
    serde_json::from_str(&report.to_json().unwrap()).unwrap()
}

fn throughput(throughput_ops: f64) -> Outcome {
    Outcome {
        throughput_ops,
        ..Outcome::default()
    }
}

fn trace_filled_with(value: f64) -> OffCpu {
    let time = OffTime {
        times: 1,
        us: value,
        runnable_us: value,
    };
    OffCpu {
        window_us: value,
        on_cpu_us: value,
        by_cause: [(Cause::Yield, time), (Cause::Lock, time)].into(),
        ran_meanwhile: vec![(ThreadKind::Patrol, value), (ThreadKind::Client, value)],
        ..OffCpu::default()
    }
}

fn admission_filled_with(value: f64) -> AdmissionOutcome {
    let tick = |time_s, throughput_ops| Tick {
        time_s,
        read_tickets: 8,
        write_tickets: 8,
        throughput_ops,
        decision: Decision::Hold,
    };
    AdmissionOutcome {
        write_tickets_final: value,
        write_tickets_mean: value,
        read_tickets_final: value,
        active_writers_mean: value,
        ticks: vec![tick(0.1, value), tick(value, 10.0), tick(0.3, 10.0)],
    }
}

/// An outcome in which `value` stands wherever a number can be wrong.
fn filled_with(value: f64) -> Outcome {
    let latency = OperationOutcome {
        count: 1,
        mean_us: value,
        p50_us: value,
        p90_us: value,
        p99_us: value,
        p999_us: value,
        max_us: value,
        distribution: Distribution(vec![(value, 1)]),
    };
    Outcome {
        seconds: value,
        throughput_ops: value,
        operations: BTreeMap::from([(Operation::Read, latency.clone()), (Operation::Update, latency)]),
        yields: Yields {
            calls_per_op: value,
            switched_per_op: value,
            mean_us: value,
            p50_us: value,
            p99_us: value,
            parks_per_op: value,
            park_share: value,
            off_cpu_share: value,
        },
        background: Background {
            cpu_share: value,
            undone_us: value,
            done_by_updates_us: value,
        },
        context_switches: ContextSwitches {
            voluntary_per_op: value,
            involuntary_per_op: value,
        },
        cpu: CpuUse {
            server_us_per_op: value,
            client_us_per_op: value,
            server_share: value,
        },
        admission: Some(admission_filled_with(value)),
        errors: 3,
        off_cpu: Some(trace_filled_with(value)),
        digest: None,
        notes: Vec::new(),
    }
}

/// Where `value` has null, but for the places where the contract has it.
fn nulls(value: &serde_json::Value, path: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Null => found.push(path.to_owned()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| nulls(item, path, found)),
        serde_json::Value::Object(fields) => {
            for (name, field) in fields {
                if !["admission", "digest", "scenario"].contains(&name.as_str()) {
                    nulls(field, &format!("{path}/{name}"), found);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn numbers_that_json_cannot_write_never_reach_it() {
    for value in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        f64::MAX,
        f64::MIN_POSITIVE,
    ] {
        let mut comparison = Comparison::new(host(), Scenario::default(), pair());
        for round in 0..3 {
            comparison.add(
                0,
                outcome(MIX, Variant::Baseline, [4000.0, 10.0, 20.0, 30.0, 40.0], round),
            );
            comparison.add(1, filled_with(value));
        }
        let report = comparison.report();
        // The serialiser writes null for what is not finite.
        let mut found = Vec::new();
        nulls(&json(&report), "", &mut found);
        assert!(found.is_empty(), "{value}: {found:?}");
        for text in [report.table(None), report.table(Some(60)), report.html()] {
            assert!(
                !text.contains("NaN") && !text.contains("inf,") && !text.contains("\"inf"),
                "{value}: {text}"
            );
        }
    }
}

#[test]
fn a_run_without_operations_is_reported_as_such() {
    let mut comparison = Comparison::new(Host::default(), Scenario::default(), pair());
    for _ in 0..3 {
        comparison.add(0, throughput(0.0));
        comparison.add(1, throughput(0.0));
    }
    let report = comparison.report();
    assert!(report.cells()[1].ratio(Metric::Throughput).is_none());
    assert!(report.table(None).contains("no verdict"));
    assert!(
        json(&report)["cells"][0]["operations"]
            .as_object()
            .unwrap()
            .is_empty()
    );
    assert!(report.html().contains("</html>"));
}

#[test]
fn cells_without_a_repeat_are_left_out_and_named() {
    let mut comparison = Comparison::new(host(), Scenario::default(), pair());
    comparison.add(0, throughput(100.0));
    comparison.mark_partial("interrupted in round 1".to_owned());
    let report = comparison.report();
    let json = json(&report);
    assert_eq!(json["partial"], true);
    assert_eq!(json["cells"].as_array().unwrap().len(), 1);
    let table = report.table(None);
    assert!(table.contains("Partial: interrupted in round 1\n"), "{table}");
    assert!(table.contains("Partial: no finished repeat: capped\n"), "{table}");
}

#[test]
fn a_comparison_without_any_outcome_is_an_empty_report() {
    let report = Comparison::new(host(), Scenario::default(), pair()).report();
    assert!(report.table(Some(80)).contains("(no cell finished)"));
    assert!(json(&report)["cells"].as_array().unwrap().is_empty());
    assert!(report.html().contains("no finished repeat: capped"));
}

#[test]
fn without_its_reference_a_cell_is_not_compared_with_another() {
    let cells = matrix(
        &[FORFEIT],
        &[MIX],
        &[Variant::Baseline, Variant::Capped, Variant::Nap],
    );
    let mut comparison = Comparison::new(host(), Scenario::default(), cells);
    comparison.add(1, throughput(100.0));
    comparison.add(2, throughput(200.0));
    let report = comparison.report();
    assert!(
        report
            .cells()
            .iter()
            .all(|cell| cell.ratio(Metric::Throughput).is_none())
    );
    assert!(
        report
            .table(None)
            .contains("no verdict, the reference did not finish")
    );
}

#[test]
fn a_failed_round_does_not_shift_the_pairs() {
    let mut comparison = Comparison::new(host(), Scenario::default(), pair());
    // The machine doubles its speed each round; the variants are equal.
    for (round, speed) in [100.0, 200.0, 400.0, 800.0].into_iter().enumerate() {
        comparison.add(0, throughput(speed));
        if round == 1 {
            comparison.add_failed(1, "the server did not start");
        } else {
            comparison.add(1, throughput(speed));
        }
    }
    let report = comparison.report();
    let ratio = report.cells()[1].ratio(Metric::Throughput).unwrap();
    assert_eq!((ratio.rounds, ratio.significant), (3, false));
    assert!((ratio.ratio - 1.0).abs() < 1e-12);
    assert_eq!(
        report.partial(),
        ["capped failed in round 2: the server did not start"]
    );
}

#[test]
fn an_outcome_outside_the_matrix_is_not_lost_silently() {
    let mut comparison = comparison(&pair(), 1);
    comparison.add(2, throughput(1.0));
    assert_eq!(
        comparison.report().partial(),
        ["an outcome of cell 2, outside the matrix, was dropped"]
    );
}

#[test]
fn the_reference_is_the_first_cell_of_the_workload() {
    let workloads = [MIX, Workload::Read100];
    let report = comparison(
        &matrix(&[CFS, FORFEIT], &workloads, &[Variant::Nap, Variant::Baseline]),
        3,
    )
    .report();
    let references: Vec<_> = report
        .cells()
        .iter()
        .filter(|cell| cell.is_reference())
        .map(report::Cell::id)
        .collect();
    assert_eq!(
        references,
        [
            &id(CFS, MIX, Variant::Nap),
            &id(CFS, Workload::Read100, Variant::Nap)
        ]
    );
    for cell in report.cells().iter().filter(|cell| cell.is_reference()) {
        let ratio = cell
            .ratio(Metric::Latency(Operation::Read, Quantile::P99))
            .unwrap();
        assert_eq!((ratio.ratio, ratio.low, ratio.high), (1.0, Some(1.0), Some(1.0)));
        assert!(!ratio.significant);
    }
}

#[test]
fn notes_are_said_once_behind_their_owners() {
    let cells = matrix(
        &[FORFEIT],
        &[MIX],
        &[Variant::Baseline, Variant::Capped, Variant::Nap],
    );
    let mut comparison = Comparison::new(host(), Scenario::default(), cells);
    let note = |text: &str| Outcome {
        notes: vec!["2 CPUs".to_owned(), text.to_owned()],
        ..throughput(1.0)
    };
    for _ in 0..2 {
        comparison.add(0, note("odd"));
        comparison.add(1, note("slice refused"));
        comparison.add(2, note("odd"));
    }
    let table = comparison.report().table(None);
    let notes: Vec<&str> = table.lines().filter(|line| line.starts_with("Note")).collect();
    assert_eq!(
        notes,
        [
            "Note: all: 2 CPUs",
            "Note: baseline, nap: odd",
            "Note: capped: slice refused"
        ]
    );
}

#[test]
fn nothing_from_outside_becomes_markup() {
    const EVIL: &str = "<script>alert('x')</script>\"&";
    let hostile = |variant| CellId {
        backend: Backend::Native,
        kernel: EVIL.to_owned(),
        release: EVIL.to_owned() + "r",
        era: EVIL.to_owned(),
        workload: MIX,
        variant,
    };
    let cells = vec![
        hostile(Variant::Baseline),
        id(CFS, MIX, Variant::Capped),
        hostile(Variant::Nap),
    ];
    let host = Host {
        kernel: EVIL.to_owned(),
        release: EVIL.to_owned(),
        era: EVIL.to_owned(),
        era_by_version: EVIL.to_owned(),
        era_evidence: EVIL.to_owned(),
        cpu_model: EVIL.to_owned(),
        preemption: EVIL.to_owned(),
        ..Host::default()
    };
    let mut comparison = Comparison::new(host, Scenario::default(), cells);
    for cell in [0, 1] {
        let latencies = [(Operation::Read, latency(100, 10.0, 90.0))];
        let notes = vec![EVIL.to_owned()];
        comparison.add(
            cell,
            Outcome {
                operations: latencies.into(),
                notes,
                ..throughput(50.0)
            },
        );
    }
    comparison.mark_partial(EVIL.to_owned());
    let html = comparison.report().html();
    assert!(html.contains("&lt;script&gt;"));
    assert!(
        !html.contains("<script") && !html.contains("('x')") && !html.contains("\"&\""),
        "{html}"
    );
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let html = comparison(&pair(), 3).report().html();
    for reference in [
        "http:", "https:", "url(", "@import", "src=", "<link", "<script", "href",
    ] {
        assert!(!html.contains(reference), "{reference}");
    }
    // Every identifier that a plot refers to is there, once.
    for id in html
        .split("aria-labelledby=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
    {
        for id in id.split(' ') {
            assert_eq!(html.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
    }
    assert_eq!(
        html.matches("<svg viewBox").count(),
        3,
        "throughput, read and update"
    );
}

#[test]
fn a_table_keeps_to_its_width() {
    let report = traced_comparison(
        &matrix(&[CFS, FORFEIT], &[MIX, Workload::Read100], Variant::ALL),
        3,
    )
    .report();
    for width in [50, 80, 100, 132, 200] {
        let text = report.table(Some(width));
        let table = text.split("Changes are").next().unwrap();
        // The lines on kernels are prose, which the terminal wraps.
        for line in table
            .lines()
            .filter(|line| line.contains(" |") || line.contains("-+-"))
        {
            assert!(line.chars().count() <= usize::from(width), "{width}: {line}");
        }
    }
}
