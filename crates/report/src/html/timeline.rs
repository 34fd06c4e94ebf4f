//! Admission control over time: the pool for writes and the throughput, a line per cell whose pools have a controller.

use scenario::{Tick, Workload};

use super::{
    axis::{Axis, linear_steps, shown},
    each,
    escape::escape,
    throughput::Named,
};
use crate::format;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 56.0;
/// Leaves room for half of the label at the end.
const RIGHT: f64 = WIDTH - 26.0;
const TOP: f64 = 32.0;
const BOTTOM: f64 = HEIGHT - 48.0;
/// More points than this, and they would be nearer to each other than a line is wide: neighbours become their mean.
const POINTS: usize = 200;

/// What a plot shows of a tick.
struct Subject {
    /// Ends the plot's id.
    id: &'static str,
    title: &'static str,
    unit: &'static str,
    value: fn(&Tick) -> f64,
}

const SUBJECTS: [Subject; 2] = [
    Subject {
        id: "tickets",
        title: "write tickets over time",
        unit: "tickets",
        value: |tick| f64::from(tick.write_tickets),
    },
    Subject {
        id: "admitted",
        title: "throughput over time",
        unit: "tickets given back per second",
        value: |tick| tick.throughput_ops,
    },
];

struct Line<'a> {
    named: &'a Named<'a>,
    /// Time in seconds, and the value.
    points: Vec<(f64, f64)>,
}

/// The plots of a workload; none if no cell has ticks.
pub(super) fn plots(workload: Workload, cells: &[Named<'_>]) -> String {
    each(&SUBJECTS, |subject| {
        plot(workload, subject, &lines(subject, cells))
    })
}

fn lines<'a>(subject: &Subject, cells: &'a [Named<'a>]) -> Vec<Line<'a>> {
    let ticks = |named: &Named<'_>| {
        let admission = named.cell.outcome().admission.as_ref();
        admission.map_or_else(Vec::new, |admission| points(&admission.ticks, subject.value))
    };
    let lines = cells.iter().map(|named| Line {
        named,
        points: ticks(named),
    });
    lines.filter(|line| !line.points.is_empty()).collect()
}

fn points(ticks: &[Tick], value: fn(&Tick) -> f64) -> Vec<(f64, f64)> {
    let group = ticks.len().div_ceil(POINTS).max(1);
    let mean = |group: &[Tick], of: &dyn Fn(&Tick) -> f64| {
        let count = group.len() as f64;
        group.iter().map(|tick| of(tick) / count).sum::<f64>()
    };
    ticks
        .chunks(group)
        .map(|group| (mean(group, &|tick| tick.time_s), mean(group, &value)))
        .collect()
}

fn plot(workload: Workload, subject: &Subject, lines: &[Line<'_>]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let points = || lines.iter().flat_map(|line| &line.points);
    let last_s = shown(points().map(|(time_s, _)| *time_s).fold(0.0, f64::max));
    let high = shown(points().map(|(_, value)| *value).fold(0.0, f64::max));
    let x = Axis::new((0.0, last_s), (LEFT, RIGHT));
    let y = Axis::new((0.0, high * 1.05), (BOTTOM, TOP));
    let id = format!("{workload}-{}", subject.id);
    let names: Vec<&str> = lines.iter().map(|line| line.named.name.as_str()).collect();
    let description = format!("{}, for {}.", subject.title, names.join(", "));
    [
        format!(
            "<figure><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{}, {workload}</title><desc id=\"{id}-d\">{}</desc>\
             <text class=\"title\" x=\"{LEFT}\" y=\"18\">{}</text>",
            subject.title,
            escape(&description),
            subject.title
        ),
        value_axis(y, high, subject.unit),
        time_axis(x, last_s),
        each(lines, |line| draw(line, x, y)),
        "</svg></figure>".to_owned(),
    ]
    .concat()
}

fn value_axis(y: Axis, high: f64, unit: &str) -> String {
    let ticks = each(linear_steps(high), |step| {
        let at = y.at(step);
        format!(
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/>\
             <text class=\"tick end\" x=\"{}\" y=\"{:.1}\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            format::number(step)
        )
    });
    let middle = f64::midpoint(TOP, BOTTOM);
    format!("{ticks}<text class=\"label\" transform=\"translate(12 {middle}) rotate(-90)\">{unit}</text>")
}

fn time_axis(x: Axis, last_s: f64) -> String {
    let ticks = each(linear_steps(last_s), |step| {
        let at = x.at(step);
        format!(
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{BOTTOM}\"/><text class=\"tick\" x=\"{at:.1}\" y=\"{}\">{}</text>",
            BOTTOM + 16.0,
            format::number(step)
        )
    });
    format!(
        "{ticks}<text class=\"label\" x=\"{}\" y=\"{}\">seconds of the measured part</text>",
        f64::midpoint(LEFT, RIGHT),
        HEIGHT - 10.0
    )
}

fn draw(line: &Line<'_>, x: Axis, y: Axis) -> String {
    let place = |&(time_s, value): &(f64, f64)| (x.at(time_s), y.at(value));
    let mut command = 'M';
    let path = each(&line.points, |point| {
        let (px, py) = place(point);
        format!("{}{px:.1} {py:.1}", std::mem::replace(&mut command, 'L'))
    });
    let series = line.named.series;
    let marker = line.points.last().map_or_else(String::new, |point| {
        let (px, py) = place(point);
        series.marker(px, py)
    });
    format!(
        "<g class=\"{}\"><title>{}</title><path class=\"line\" stroke-dasharray=\"{}\" d=\"{path}\"/>{marker}</g>",
        series.class(),
        escape(&line.named.name),
        series.dashes()
    )
}

#[cfg(test)]
mod tests {
    use scenario::Decision;

    use super::*;

    fn ticks(number: u32) -> Vec<Tick> {
        let tick = |number| Tick {
            time_s: f64::from(number),
            read_tickets: 4,
            write_tickets: number,
            throughput_ops: 10.0,
            decision: Decision::Hold,
        };
        (0..number).map(tick).collect()
    }

    #[test]
    fn few_ticks_are_drawn_as_they_are_and_many_as_means() {
        let tickets = |number| points(&ticks(number), |tick| f64::from(tick.write_tickets));
        assert_eq!(tickets(3), [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
        assert!(tickets(0).is_empty());
        let many = tickets(500);
        assert_eq!(many.len(), 167);
        assert!((many[0].0 - 1.0).abs() < 1e-9 && (many[0].1 - 1.0).abs() < 1e-9);
    }
}
