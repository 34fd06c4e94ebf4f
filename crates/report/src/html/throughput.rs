//! Throughput: a bar per cell, a dot per repeat, and the interval of the change around the reference.

use scenario::Workload;

use super::{
    axis::{Axis, linear_steps, shown},
    each,
    escape::escape,
    series::Series,
};
use crate::{Cell, Metric, change::Change, format};

const WIDTH: f64 = 480.0;
const LEFT: f64 = 14.0;
const RIGHT: f64 = WIDTH - 14.0;
const TOP: f64 = 32.0;
/// Height of a row: a line of text, and the bar below it.
const ROW: f64 = 44.0;
const BAR: f64 = 18.0;
/// Room below the rows for ticks and label.
const FOOT: f64 = 44.0;
/// An interval of two rounds can be a hundred times as wide as the values: it must not shrink them to nothing.
const MOST_ROOM_FOR_INTERVALS: f64 = 1.3;

/// A cell as it is drawn: with its looks and its name on this page.
pub(super) struct Named<'a> {
    pub(super) cell: &'a Cell,
    pub(super) series: Series,
    pub(super) name: String,
}

impl Named<'_> {
    fn repeats(&self) -> impl Iterator<Item = f64> {
        let repeats = self.cell.repeats().map(|repeat| repeat.throughput_ops);
        repeats.filter(|throughput| throughput.is_finite())
    }

    /// The interval of the change, as throughput around that of the reference.
    fn interval_ops(&self, reference_ops: f64) -> Option<(f64, f64)> {
        let ratio = self
            .cell
            .ratio(Metric::Throughput)
            .filter(|_| !self.cell.is_reference())?;
        Some((ratio.low? * reference_ops, ratio.high? * reference_ops))
    }

    fn label(&self) -> String {
        let value = format!("{} ops/s", format::number(self.cell.outcome().throughput_ops));
        let ratio = self
            .cell
            .ratio(Metric::Throughput)
            .filter(|_| !self.cell.is_reference());
        match ratio {
            Some(ratio) => format!("{value}, {}", Change::of(Metric::Throughput, ratio).marked()),
            None => value,
        }
    }
}

pub(super) fn plot(workload: Workload, cells: &[Named<'_>]) -> String {
    let reference = cells.iter().find(|named| named.cell.is_reference());
    let reference_ops = reference.map(|named| named.cell.outcome().throughput_ops);
    let values = cells.iter().flat_map(Named::repeats).fold(0.0, f64::max);
    let intervals = cells
        .iter()
        .filter_map(|named| named.interval_ops(reference_ops?));
    let high = intervals
        .map(|(_, high)| high.min(values * MOST_ROOM_FOR_INTERVALS))
        .fold(values, f64::max);
    let high = shown(high);
    let x = Axis::new((0.0, high * 1.02), (LEFT, RIGHT));
    let bottom = TOP + ROW * cells.len() as f64;
    let height = bottom + FOOT;
    let rows: Vec<String> = cells
        .iter()
        .enumerate()
        .map(|(row, named)| draw(named, TOP + ROW * row as f64, x, reference_ops))
        .collect();
    let described: Vec<String> = cells
        .iter()
        .map(|named| format!("{}: {}", named.name, named.label()))
        .collect();
    format!(
        "<figure><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{workload}-t {workload}-d\">\
         <title id=\"{workload}-t\">Throughput, {workload}</title><desc id=\"{workload}-d\">{}</desc>\
         <text class=\"title\" x=\"{LEFT}\" y=\"18\">throughput</text>{}{}</svg></figure>",
        escape(&described.join("; ")),
        axis(x, high, bottom),
        rows.concat()
    )
}

fn axis(x: Axis, high: f64, bottom: f64) -> String {
    let ticks = each(linear_steps(high), |step| {
        let at = x.at(step);
        format!(
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{bottom}\"/>\
                 <text class=\"tick\" x=\"{at:.1}\" y=\"{}\">{}</text>",
            bottom + 16.0,
            format::number(step)
        )
    });
    format!(
        "{ticks}<text class=\"label\" x=\"{}\" y=\"{}\">operations per second</text>",
        f64::midpoint(LEFT, RIGHT),
        bottom + 36.0
    )
}

fn draw(named: &Named<'_>, top: f64, x: Axis, reference_ops: Option<f64>) -> String {
    let text = top + 14.0;
    let bar = top + 20.0;
    // The interval keeps to the upper part of the bar, dots to the lower, so that neither hides the other.
    let (interval_at, dots_at) = (bar + BAR * 0.3, bar + BAR * 0.72);
    let end = x.at(named.cell.outcome().throughput_ops);
    let dots = each(named.repeats(), |ops| {
        format!(
            "<circle class=\"repeat\" cx=\"{:.1}\" cy=\"{dots_at:.1}\" r=\"3\"/>",
            x.at(ops)
        )
    });
    let interval =
        reference_ops
            .and_then(|ops| named.interval_ops(ops))
            .map_or_else(String::new, |(low, high)| {
                // An interval that runs out of the plot has no end there.
                let ends = [low, high].into_iter().filter(|end| x.holds(*end));
                let caps = each(ends, |end| {
                    format!("M{:.1} {:.1}v6", x.at(end), interval_at - 3.0)
                });
                let (low, high) = (x.at(low), x.at(high));
                format!("<path class=\"interval\" d=\"M{low:.1} {interval_at:.1}H{high:.1}{caps}\"/>")
            });
    // Only across the bar: on its way down the line would run through the text of every row.
    let reference = reference_ops.map_or_else(String::new, |ops| {
        format!(
            "<path class=\"reference\" d=\"M{:.1} {}v{}\"/>",
            x.at(ops),
            bar - 3.0,
            BAR + 6.0
        )
    });
    format!(
        "<g class=\"{}\"><text class=\"row\" x=\"{LEFT}\" y=\"{text}\">{}</text>\
         <text class=\"row end\" x=\"{RIGHT}\" y=\"{text}\">{}</text>\
         <path class=\"bar\" d=\"M{LEFT} {bar}H{end:.1}v{BAR}H{LEFT}z\"/>{reference}{dots}{interval}</g>",
        named.series.class(),
        escape(&shortened(&named.name)),
        escape(&named.label())
    )
}

/// A name that leaves room for the value on its line; the legend has it whole.
fn shortened(name: &str) -> String {
    const MOST: usize = 34;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['\u{2026}']).collect()
}
