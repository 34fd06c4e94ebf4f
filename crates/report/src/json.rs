//! The JSON contract. Field names here are used by scripts outside of this workspace.

mod off_cpu;

use std::collections::BTreeMap;

use scenario::{
    AdmissionOutcome, Backend, Background, ContextSwitches, CpuUse, Host, Operation, OperationOutcome,
    Scenario, Variant,
};
use scenario::{Workload, Yields};
use serde::{Serialize, Serializer, ser::SerializeMap};

use self::off_cpu::OffCpuView;
use crate::{Cell, Metric, Ratio, Report, aggregate::aggregate};

/// Rises when a field is renamed, removed or changes its meaning.
const SCHEMA: u32 = 1;

impl Report {
    /// The report as JSON text, indented, with a line break at its end.
    ///
    /// # Errors
    /// Those of the serialiser, which has no reason to fail on a report.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ReportView {
            schema: SCHEMA,
            host: self.host(),
            scenario: self.scenario(),
            partial: !self.partial().is_empty(),
            partial_reasons: self.partial(),
            cells: self.cells().iter().map(CellView::of).collect(),
        }
        .serialize(serializer)
    }
}

#[derive(Serialize)]
struct ReportView<'a> {
    schema: u32,
    host: &'a Host,
    scenario: &'a Scenario,
    partial: bool,
    partial_reasons: &'a [String],
    cells: Vec<CellView<'a>>,
}

#[derive(Serialize)]
struct CellView<'a> {
    backend: Backend,
    kernel: &'a str,
    release: &'a str,
    era: &'a str,
    workload: Workload,
    variant: Variant,
    seconds: f64,
    throughput_ops: f64,
    operations: BTreeMap<Operation, OperationView>,
    yields: Yields,
    background: Background,
    context_switches: ContextSwitches,
    cpu: CpuUse,
    /// Null where there was no admission control.
    admission: Option<&'a AdmissionOutcome>,
    errors: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    off_cpu: Option<OffCpuView>,
    ratios: Ratios<'a>,
    repeats: Vec<RepeatView>,
    notes: &'a [String],
    digest: Option<&'a str>,
}

impl<'a> CellView<'a> {
    fn of(cell: &'a Cell) -> Self {
        let (id, outcome) = (cell.id(), cell.outcome());
        Self {
            backend: id.backend,
            kernel: &id.kernel,
            release: &id.release,
            era: &id.era,
            workload: id.workload,
            variant: id.variant,
            seconds: outcome.seconds,
            throughput_ops: outcome.throughput_ops,
            operations: each(&outcome.operations, OperationView::of),
            yields: outcome.yields,
            background: outcome.background,
            context_switches: outcome.context_switches,
            cpu: outcome.cpu,
            admission: outcome.admission.as_ref(),
            errors: outcome.errors,
            off_cpu: outcome.off_cpu.as_ref().map(OffCpuView::of),
            ratios: Ratios(cell.ratios()),
            repeats: RepeatView::of_cell(cell),
            notes: &outcome.notes,
            digest: outcome.digest.as_deref(),
        }
    }
}

/// Latency without its distribution, which is hundreds of numbers long.
#[derive(Serialize)]
struct OperationView {
    count: u64,
    mean_us: f64,
    p50_us: f64,
    p90_us: f64,
    p99_us: f64,
    p999_us: f64,
    max_us: f64,
}

impl OperationView {
    const fn of(latency: &OperationOutcome) -> Self {
        Self {
            count: latency.count,
            mean_us: latency.mean_us,
            p50_us: latency.p50_us,
            p90_us: latency.p90_us,
            p99_us: latency.p99_us,
            p999_us: latency.p999_us,
            max_us: latency.max_us,
        }
    }
}

#[derive(Serialize)]
struct RepeatView {
    throughput_ops: f64,
    errors: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    operations: BTreeMap<Operation, RepeatLatency>,
}

#[derive(Serialize)]
struct RepeatLatency {
    count: u64,
    p50_us: f64,
    p99_us: f64,
}

impl RepeatView {
    /// Each repeat goes through the aggregation on its own: that leaves it as it is but for numbers that JSON
    /// cannot write.
    fn of_cell(cell: &Cell) -> Vec<Self> {
        cell.repeats()
            .filter_map(|repeat| aggregate(&[repeat]))
            .map(|repeat| Self {
                throughput_ops: repeat.throughput_ops,
                errors: repeat.errors,
                digest: repeat.digest,
                operations: each(&repeat.operations, |latency| RepeatLatency {
                    count: latency.count,
                    p50_us: latency.p50_us,
                    p99_us: latency.p99_us,
                }),
            })
            .collect()
    }
}

struct Ratios<'a>(&'a [(Metric, Ratio)]);

impl Serialize for Ratios<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (metric, ratio) in self.0 {
            map.serialize_entry(&metric.to_string(), ratio)?;
        }
        map.end()
    }
}

fn each<T>(
    operations: &BTreeMap<Operation, OperationOutcome>,
    view: impl Fn(&OperationOutcome) -> T,
) -> BTreeMap<Operation, T> {
    operations
        .iter()
        .map(|(operation, latency)| (*operation, view(latency)))
        .collect()
}
