//! The golden probes of several kernels side by side.

use comfy_table::{CellAlignment, Table};
use scenario::{Company, GiveUp, GiveUpRow, GoldenProbe, YieldRow};

use crate::{
    format::{absent, number, share},
    table::PLAIN,
};

/// What a column shows of a kernel, below a heading that goes from the general to the special.
struct Column {
    heading: Vec<String>,
    show: Box<dyn Fn(&GoldenProbe) -> String>,
}

/// Both experiments as text, one row per kernel: first what a yield in a tight loop costs, then what comes of threads
/// that work and then give up their CPU. What a probe does not have is a `-`.
#[must_use]
pub fn golden_table(probes: &[GoldenProbe]) -> String {
    format!(
        "A thread yields in a tight loop on one CPU: us per yield, and its share of the CPU time of all threads there\n\n\
         {}\n\n\
         A thread works for 100 us, then gives up the CPU; wait: the time in us until it has it back\n\n\
         {}\n",
        draw(probes, &yields()).trim_fmt(),
        draw(probes, &give_up()).trim_fmt(),
    )
}

fn yields() -> Vec<Column> {
    let mut columns = Vec::new();
    for company in Company::OF_YIELDS {
        let mut add = |what: &str, show: fn(&YieldRow) -> String| {
            columns.push(Column {
                heading: vec![company.to_string(), what.to_owned()],
                show: Box::new(move |probe| {
                    let mut rows = probe.yields.iter();
                    rows.find(|row| row.company == company).map_or_else(absent, show)
                }),
            });
        };
        add("mean", |row| number(row.mean_us));
        // A hog parts the yields into those that do not switch and those that wait for it: only there does the mean
        // hide a shape.
        if company.hogs() > 0 {
            add("p50 / p99", |row| {
                format!("{} / {}", number(row.p50_us), number(row.p99_us))
            });
            add("share", |row| share(row.share));
        }
    }
    columns
}

fn give_up() -> Vec<Column> {
    let mut columns = Vec::new();
    for company in Company::OF_WORKERS {
        for &way in GiveUp::ALL {
            let mut add = |what: &str, show: fn(&GiveUpRow) -> String| {
                columns.push(Column {
                    heading: vec![company.to_string(), way.to_string(), what.to_owned()],
                    show: Box::new(move |probe| {
                        let mut rows = probe.give_up.iter();
                        rows.find(|row| (row.company, row.give_up) == (company, way))
                            .map_or_else(absent, show)
                    }),
                });
            };
            add("ops/s", |row| number(row.ops_per_s));
            // With peers, the waits say more about the peers than about the way.
            if company.peers() == 0 && way != GiveUp::None {
                add("wait", |row| number(row.mean_wait_us));
                add("max", |row| number(row.max_wait_us));
                add("share", |row| share(row.share));
            }
        }
    }
    columns
}

fn draw(probes: &[GoldenProbe], columns: &[Column]) -> Table {
    let mut table = Table::new();
    table.load_style(PLAIN);
    let keys = ["kernel".to_owned(), "era".to_owned()];
    let key_count = keys.len();
    table.set_header(keys.into_iter().chain(titles(columns)));
    for probe in probes {
        let keys = [probe.host.kernel.clone(), probe.host.era.clone()];
        let values = columns.iter().map(|column| (column.show)(probe));
        table.add_row(keys.into_iter().chain(values));
    }
    for column in table.column_iter_mut().skip(key_count) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A heading that stands over several columns is written once.
fn titles(columns: &[Column]) -> impl Iterator<Item = String> {
    let mut before: &[String] = &[];
    columns.iter().map(move |column| {
        let known = before
            .iter()
            .zip(&column.heading)
            .take_while(|(before, own)| before == own)
            .count();
        before = &column.heading;
        let lines = column.heading.iter().enumerate();
        let lines = lines.map(|(at, line)| if at < known { "" } else { line });
        lines.collect::<Vec<_>>().join("\n")
    })
}
