//! The table as columns and entries, before it becomes text or HTML.

use scenario::{Operation, OperationOutcome};

use crate::{
    Cell, Metric, Quantile, Report,
    change::Change,
    format::{absent, number, share},
};

/// What a column is there for. A table that is too wide is parted between results and costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Says which cell the row is.
    Key,
    /// What the load saw.
    Result,
    /// What the yields cost, and what went wrong.
    Cost,
}

/// A column: its heading and how a cell fills it.
pub(crate) struct Column {
    pub(crate) part: Part,
    pub(crate) title: String,
    /// Second line of the heading; empty for a key.
    pub(crate) unit: &'static str,
    fill: Box<dyn Fn(&Cell) -> Entry>,
}

/// What stands in one place of the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) value: String,
    pub(crate) change: Option<Change>,
    /// Whether a table that has no room to spare shows the interval of the change.
    pub(crate) show_interval: bool,
}

impl Column {
    fn new(
        part: Part,
        title: impl Into<String>,
        unit: &'static str,
        fill: impl Fn(&Cell) -> Entry + 'static,
    ) -> Self {
        Self {
            part,
            title: title.into(),
            unit,
            fill: Box::new(fill),
        }
    }

    fn key(title: &str, text: impl Fn(&Cell) -> String + 'static) -> Self {
        Self::plain(Part::Key, title, "", text)
    }

    pub(crate) fn plain(
        part: Part,
        title: &str,
        unit: &'static str,
        text: impl Fn(&Cell) -> String + 'static,
    ) -> Self {
        Self::new(part, title, unit, move |cell| Entry {
            value: text(cell),
            ..Entry::default()
        })
    }

    fn metric(title: String, unit: &'static str, metric: Metric) -> Self {
        Self::new(Part::Result, title, unit, move |cell| Entry {
            value: metric.of(cell.outcome()).map_or_else(absent, number),
            change: cell
                .ratio(metric)
                .filter(|_| !cell.is_reference())
                .map(|ratio| Change::of(metric, ratio)),
            show_interval: metric == Metric::Throughput,
        })
    }

    pub(crate) fn entry(&self, cell: &Cell) -> Entry {
        (self.fill)(cell)
    }
}

impl Report {
    /// The columns of the table. Both quantiles of an operation always stand together: at full load throughput
    /// fixes the mean latency, and a policy only chooses who waits.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let mut columns = self.keys();
        columns.push(Column::metric(
            "throughput".to_owned(),
            "ops/s",
            Metric::Throughput,
        ));
        for operation in Operation::ALL
            .iter()
            .copied()
            .filter(|operation| self.has(*operation))
        {
            for quantile in [Quantile::P50, Quantile::P99] {
                let title = format!("{operation} {}", quantile.name());
                columns.push(Column::metric(title, "us", Metric::Latency(operation, quantile)));
            }
        }
        columns.extend(costs());
        columns
    }

    /// The columns that say which cell a row is.
    pub(crate) fn keys(&self) -> Vec<Column> {
        let names = self.names();
        let mut columns = Vec::new();
        if names.backends {
            columns.push(Column::key("backend", |cell| cell.id().backend.to_string()));
        }
        if names.kernels {
            columns.push(Column::key("kernel", |cell| cell.id().kernel.clone()));
            columns.push(Column::key("era", |cell| cell.id().era.clone()));
        }
        if names.workloads {
            columns.push(Column::key("workload", |cell| cell.id().workload.to_string()));
        }
        columns.push(Column::key("variant", |cell| cell.id().variant.to_string()));
        columns
    }
}

fn costs() -> [Column; 5] {
    [
        Column::plain(Part::Cost, "yield", "mean us", |cell| {
            let yields = cell.outcome().yields;
            // Without a call there is no length of a call.
            if yields.calls_per_op > 0.0 {
                number(yields.mean_us)
            } else {
                absent()
            }
        }),
        Column::plain(Part::Cost, "yields", "per op", |cell| {
            per_operation(cell, cell.outcome().yields.calls_per_op)
        }),
        Column::plain(Part::Cost, "off-CPU", "share", |cell| {
            share(cell.outcome().yields.off_cpu_share)
        }),
        Column::plain(Part::Cost, "switches", "per op", |cell| {
            let switches = cell.outcome().context_switches;
            per_operation(cell, switches.voluntary_per_op + switches.involuntary_per_op)
        }),
        Column::plain(Part::Cost, "errors", "", |cell| cell.outcome().errors.to_string()),
    ]
}

/// Nothing is per operation where none completed.
fn per_operation(cell: &Cell, value: f64) -> String {
    let completed = cell
        .outcome()
        .operations
        .values()
        .any(|latency: &OperationOutcome| latency.count > 0);
    if completed { number(value) } else { absent() }
}
