//! Latency distributions: one plot per operation, one line per cell.

use scenario::{Operation, Workload};

use super::{
    axis::{Axis, log_steps},
    curve::{Curve, Point},
    each,
    escape::escape,
    throughput::Named,
};
use crate::format;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 76.0;
/// Leaves room for half of the label at the end.
const RIGHT: f64 = WIDTH - 26.0;
const TOP: f64 = 32.0;
const BOTTOM: f64 = HEIGHT - 48.0;
/// Points closer than this to the one before would not be seen.
const APART: f64 = 1.5;
/// Labelled percentiles, with their number of nines.
const PERCENTILES: [(&str, f64); 8] = [
    ("0", 0.0),
    ("50", 0.301),
    ("90", 1.0),
    ("99", 2.0),
    ("99.9", 3.0),
    ("99.99", 4.0),
    ("99.999", 5.0),
    ("99.9999", 6.0),
];

struct Line<'a> {
    named: &'a Named<'a>,
    curve: Curve,
}

/// The plots of a workload's operations. They share their latency axis, so that reads and updates compare.
pub(super) fn plots(workload: Workload, cells: &[Named<'_>]) -> String {
    let plots: Vec<(Operation, Vec<Line<'_>>)> = Operation::ALL
        .iter()
        .map(|operation| (*operation, lines(*operation, cells)))
        .filter(|(_, lines)| !lines.is_empty())
        .collect();
    let ranges = || {
        plots
            .iter()
            .flat_map(|(_, lines)| lines)
            .filter_map(|line| line.curve.range_us())
    };
    let low = ranges().map(|(low, _)| low).fold(f64::INFINITY, f64::min);
    let high = ranges().map(|(_, high)| high).fold(0.0, f64::max);
    plots
        .iter()
        .map(|(operation, lines)| plot(workload, *operation, lines, &log_steps(low, high)))
        .collect()
}

fn lines<'a>(operation: Operation, cells: &'a [Named<'a>]) -> Vec<Line<'a>> {
    cells
        .iter()
        .filter_map(|named| {
            let curve = Curve::of(&named.cell.outcome().operations.get(&operation)?.distribution)?;
            Some(Line { named, curve })
        })
        .collect()
}

fn plot(workload: Workload, operation: Operation, lines: &[Line<'_>], steps: &[f64]) -> String {
    let last_nines = lines
        .iter()
        .map(|line| line.curve.last_nines())
        .fold(1.0, f64::max);
    let x = Axis::new((0.0, last_nines), (LEFT, RIGHT));
    let ends = steps.first().zip(steps.last());
    let y = ends.map_or((0.0, 1.0), |(low, high)| (low.log10(), high.log10()));
    let y = Axis::new(y, (BOTTOM, TOP));
    let id = format!("{workload}-{operation}");
    let names: Vec<&str> = lines.iter().map(|line| line.named.name.as_str()).collect();
    let description = format!(
        "Latency of {operation}s over percentile, both on logarithmic axes, for {}. The table holds the numbers.",
        names.join(", ")
    );
    [
        format!(
            "<figure><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">Latency distribution of {operation}s, {workload}</title>\
             <desc id=\"{id}-d\">{}</desc>\
             <text class=\"title\" x=\"{LEFT}\" y=\"18\">{operation} latency by percentile</text>",
            escape(&description)
        ),
        latency_axis(y, steps),
        percentile_axis(x, last_nines),
        lines.iter().map(|line| draw(line, x, y)).collect(),
        "</svg></figure>".to_owned(),
    ]
    .concat()
}

fn latency_axis(y: Axis, steps: &[f64]) -> String {
    // Labels of 1, 2 and 5 fit where the axis spans few decades; otherwise the decades are labelled.
    let few = steps.len() <= 10;
    let ticks = each(steps.iter(), |&step| {
        let at = y.at(step.log10());
        let decade = (step.log10() - step.log10().round()).abs() < 1e-9;
        let grid = if decade { "grid" } else { "grid faint" };
        let label = if few || decade {
            format!(
                "<text class=\"tick end\" x=\"{}\" y=\"{:.1}\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                format::duration(step)
            )
        } else {
            String::new()
        };
        format!("<path class=\"{grid}\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/>{label}")
    });
    let middle = f64::midpoint(TOP, BOTTOM);
    format!(
        "{ticks}<text class=\"label\" transform=\"translate(12 {middle}) rotate(-90)\">latency (log scale)</text>"
    )
}

fn percentile_axis(x: Axis, last_nines: f64) -> String {
    let ticks = each(
        PERCENTILES.iter().filter(|(_, nines)| *nines <= last_nines),
        |(label, nines)| {
            let at = x.at(*nines);
            format!(
                "<path class=\"grid\" d=\"M{at:.1} {TOP}V{BOTTOM}\"/>\
                 <text class=\"tick\" x=\"{at:.1}\" y=\"{}\">{label}</text>",
                BOTTOM + 16.0
            )
        },
    );
    format!(
        "{ticks}<text class=\"label\" x=\"{}\" y=\"{}\">percentile of operations, % (log scale towards 100)</text>",
        f64::midpoint(LEFT, RIGHT),
        HEIGHT - 10.0
    )
}

fn draw(line: &Line<'_>, x: Axis, y: Axis) -> String {
    let place = |point: Point| (x.at(point.nines), y.at(point.latency_us.log10()));
    let mut path: Vec<String> = Vec::new();
    let mut last: Option<(f64, f64)> = None;
    let points = line.curve.points();
    for (index, point) in points.iter().enumerate() {
        let (px, py) = place(*point);
        let near = last.is_some_and(|(lx, ly)| (px - lx).hypot(py - ly) < APART);
        if near && index + 1 < points.len() {
            continue;
        }
        let command = if last.is_none() { 'M' } else { 'L' };
        path.push(format!("{command}{px:.1} {py:.1}"));
        last = Some((px, py));
    }
    let markers: String = PERCENTILES
        .iter()
        .filter(|(_, nines)| *nines > 0.0)
        .filter_map(|(_, nines)| {
            let latency_us = line.curve.latency_us_at(*nines)?;
            let (px, py) = place(Point {
                nines: *nines,
                latency_us,
            });
            Some(line.named.series.marker(px, py))
        })
        .collect();
    format!(
        "<g class=\"{}\"><title>{}</title><path class=\"line\" stroke-dasharray=\"{}\" d=\"{}\"/>{markers}</g>",
        line.named.series.class(),
        escape(&line.named.name),
        line.named.series.dashes(),
        path.concat()
    )
}
