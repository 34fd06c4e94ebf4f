use scenario::{Operation, Workload};

use crate::{Cell, Metric, Quantile, Ratio, Report, change::Change, format, names::Names};

/// The metrics that the verdict names a winner for, and what they are called.
const HEADLINES: [(Metric, &str); 5] = [
    (Metric::Throughput, "throughput"),
    (
        Metric::Latency(Operation::FindOneProduct, Quantile::P50),
        "FindOneProduct p50",
    ),
    (
        Metric::Latency(Operation::PlaceOrder, Quantile::P99),
        "PlaceOrder p99",
    ),
    (Metric::Latency(Operation::Read, Quantile::P50), "read p50"),
    (Metric::Latency(Operation::Update, Quantile::P99), "update p99"),
];

impl Report {
    /// Who wins, in plain words: one line per workload.
    pub(crate) fn verdict(&self) -> Vec<String> {
        let names = self.names();
        self.workloads()
            .into_iter()
            .map(|workload| format!("{workload}{}", self.verdict_on(workload, names)))
            .collect()
    }

    fn verdict_on(&self, workload: Workload, names: Names) -> String {
        let Some(reference) = self.cells_of(workload).find(|cell| cell.is_reference()) else {
            return ": no verdict, the reference did not finish".to_owned();
        };
        let rivals: Vec<&Cell> = self
            .cells_of(workload)
            .filter(|cell| !cell.is_reference())
            .collect();
        if rivals.is_empty() {
            return ": no verdict, nothing to compare with".to_owned();
        }
        let mut headlines = Vec::new();
        for (metric, title) in HEADLINES {
            headlines.extend(Headline::of(metric, title, &rivals));
        }
        if headlines.is_empty() {
            return ": no verdict, no cell can be compared".to_owned();
        }
        if headlines
            .iter()
            .all(|headline| matches!(headline.finding, Finding::OneRound))
        {
            return ": no verdict, one repeat has no interval; 3 repeats or more do".to_owned();
        }
        let against = names.within_workload(reference.id());
        if headlines
            .iter()
            .all(|headline| matches!(headline.finding, Finding::Noise))
        {
            return format!(": no difference beyond noise against {against}");
        }
        let phrases: Vec<String> = headlines
            .iter()
            .map(|headline| headline.phrase(&against, names))
            .collect();
        format!(", against {against}: {}", phrases.join("; "))
    }
}

struct Headline<'a> {
    metric: Metric,
    title: &'static str,
    finding: Finding<'a>,
}

enum Finding<'a> {
    /// The best of those that beat the reference, and those that cannot be told from the best.
    Winner {
        best: (&'a Cell, Ratio),
        level: Vec<&'a Cell>,
    },
    /// Nobody beats the reference, and this one falls furthest behind it.
    Unbeaten {
        worst: (&'a Cell, Ratio),
    },
    Noise,
    OneRound,
}

impl<'a> Headline<'a> {
    /// None if no rival has the metric and a reference for it.
    fn of(metric: Metric, title: &'static str, rivals: &[&'a Cell]) -> Option<Self> {
        let ratios: Vec<(&Cell, Ratio)> = rivals
            .iter()
            .filter_map(|cell| Some((*cell, *cell.ratio(metric)?)))
            .collect();
        if ratios.is_empty() {
            return None;
        }
        let (mut better, mut worse): (Vec<_>, Vec<_>) = ratios
            .iter()
            .copied()
            .filter(|(_, ratio)| ratio.significant)
            .partition(|(_, ratio)| metric.improves(ratio.ratio));
        for list in [&mut better, &mut worse] {
            list.sort_by(|(_, a), (_, b)| b.ratio.ln().abs().total_cmp(&a.ratio.ln().abs()));
        }
        let finding = if let Some(&best) = better.first() {
            let level = better.iter().skip(1).map(|(cell, _)| *cell);
            let level = level.filter(|cell| !beats(best.0, cell, metric)).collect();
            Finding::Winner { best, level }
        } else if let Some(&worst) = worse.first() {
            Finding::Unbeaten { worst }
        } else if ratios.iter().all(|(_, ratio)| ratio.low.is_none()) {
            Finding::OneRound
        } else {
            Finding::Noise
        };
        Some(Self {
            metric,
            title,
            finding,
        })
    }

    fn phrase(&self, reference: &str, names: Names) -> String {
        let title = self.title;
        let name = |cell: &Cell| names.within_workload(cell.id());
        match &self.finding {
            Finding::Winner {
                best: (cell, ratio),
                level,
            } => {
                let level = if level.is_empty() {
                    String::new()
                } else {
                    let level: Vec<String> = level.iter().map(|cell| name(cell)).collect();
                    format!(", level with {}", level.join(", "))
                };
                format!(
                    "best {title} {} ({}){level}",
                    name(cell),
                    self.described(cell, ratio)
                )
            }
            Finding::Unbeaten { worst: (cell, ratio) } => format!(
                "best {title} {reference}, unbeaten (furthest from it: {} {})",
                name(cell),
                format::change(ratio.ratio)
            ),
            Finding::Noise => format!("{title} no difference beyond noise"),
            Finding::OneRound => format!("{title} from one repeat, no verdict"),
        }
    }

    /// The change, with that of the operation's other quantile: one is easily bought with the other. Errors too.
    fn described(&self, cell: &Cell, ratio: &Ratio) -> String {
        let mut text = format::change(ratio.ratio);
        if let Metric::Latency(operation, quantile) = self.metric {
            let other = match quantile {
                Quantile::P50 => Quantile::P99,
                Quantile::P99 => Quantile::P50,
            };
            if let Some(ratio) = cell.ratio(Metric::Latency(operation, other)) {
                let change = Change::of(self.metric, ratio).marked();
                text = format!("{text}, its {} {change}", other.name());
            }
        }
        match cell.outcome().errors {
            0 => text,
            1 => format!("{text}, with 1 error"),
            errors => format!("{text}, with {errors} errors"),
        }
    }
}

fn beats(best: &Cell, other: &Cell, metric: Metric) -> bool {
    best.ratio_against(metric, other)
        .is_some_and(|ratio| ratio.significant && metric.improves(ratio.ratio))
}
