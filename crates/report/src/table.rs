//! The report as text, for terminals and logs.

use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};

use crate::{
    Report,
    grid::{Column, Entry, Part},
    side::Titled,
};

/// ASCII, so that it survives every log, and no more lines than the eye needs.
pub(crate) const PLAIN: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction('|'))
    .header_separator(LineStyle::none().fill('-').junction('+'))
    .content_lines(ContentLineStyle::none().junction('|'));
/// Where a row takes several lines, they are held together by a rule between rows.
const RULED: TableStyle = PLAIN.row_separator(LineStyle::none().fill('-').junction('+'));

/// How an entry uses its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// Value and change beside each other: a row is a line.
    One,
    /// Value, change and interval below each other, and so are the names of the cell.
    Stacked,
}

/// A way to part the columns into tables, and to draw these.
type Attempt<'a> = (&'a [Vec<&'a Column>], Lines);

impl Report {
    /// The report as text: which kernel, the table, those of admission control and of traces, what the marks mean, the verdict,
    /// notes and what is missing.
    ///
    /// The table takes at most `width` columns, if there is a limit, by stacking the parts of an entry, then by
    /// parting results from costs, and in the last resort by breaking words.
    #[must_use]
    pub fn table(&self, width: Option<u16>) -> String {
        let mut text = self.heading();
        text.push(String::new());
        text.push(self.tables(width));
        text.push(String::new());
        for Titled { title, columns } in self.side_tables() {
            text.extend([
                title.to_owned(),
                String::new(),
                self.side_table(&columns, width),
                String::new(),
            ]);
        }
        text.extend(self.legend());
        text.extend(
            self.verdict()
                .into_iter()
                .map(|line| format!("Verdict on {line}")),
        );
        text.extend(self.notes().into_iter().map(|note| format!("Note: {note}")));
        text.extend(self.partial().iter().map(|why| format!("Partial: {why}")));
        text.join("\n") + "\n"
    }

    fn tables(&self, width: Option<u16>) -> String {
        if self.cells().is_empty() {
            return "(no cell finished)".to_owned();
        }
        let columns = self.columns();
        let all: Vec<&Column> = columns.iter().collect();
        let without = |part| {
            columns
                .iter()
                .filter(|column| column.part != part)
                .collect::<Vec<_>>()
        };
        let parted = [without(Part::Cost), without(Part::Result)];
        let whole = [all];
        let attempts: [Attempt; 4] = [
            (&whole, Lines::One),
            (&whole, Lines::Stacked),
            (&parted, Lines::One),
            (&parted, Lines::Stacked),
        ];
        self.first_that_fits(&attempts, width)
    }

    /// A table beside the main one, in two halves where there is no room for it.
    fn side_table(&self, columns: &[Column], width: Option<u16>) -> String {
        let (keys, values): (Vec<&Column>, Vec<&Column>) =
            columns.iter().partition(|column| column.part == Part::Key);
        let half = values.len().div_ceil(2).max(1);
        let halves: Vec<Vec<&Column>> = values
            .chunks(half)
            .map(|half| [keys.as_slice(), half].concat())
            .collect();
        let whole = [columns.iter().collect()];
        let attempts: [Attempt; 4] = [
            (&whole, Lines::One),
            (&whole, Lines::Stacked),
            (&halves, Lines::One),
            (&halves, Lines::Stacked),
        ];
        self.first_that_fits(&attempts, width)
    }

    /// The first of the attempts that keeps to the width, or the last one with its words broken.
    fn first_that_fits(&self, attempts: &[Attempt], width: Option<u16>) -> String {
        let mut text = String::new();
        for (tables, lines) in attempts {
            let tables: Vec<Table> = tables.iter().map(|columns| self.draw(columns, *lines)).collect();
            text = join(&tables);
            if width.is_none_or(|width| fits(&text, width)) {
                return text;
            }
        }
        let (Some(width), Some((last, lines))) = (width, attempts.last()) else {
            return text;
        };
        let narrow: Vec<Table> = last
            .iter()
            .map(|columns| {
                let mut table = self.draw(columns, *lines);
                table
                    .set_content_arrangement(ContentArrangement::Dynamic)
                    .set_width(width);
                table
            })
            .collect();
        join(&narrow)
    }

    fn draw(&self, columns: &[&Column], lines: Lines) -> Table {
        let (keys, values): (Vec<&Column>, Vec<&Column>) =
            columns.iter().partition(|column| column.part == Part::Key);
        let keys: Vec<Vec<&Column>> = match lines {
            Lines::One => keys.into_iter().map(|key| vec![key]).collect(),
            Lines::Stacked => vec![keys],
        };
        let rows: Vec<Vec<String>> = self
            .cells()
            .iter()
            .map(|cell| {
                let names = keys
                    .iter()
                    .map(|keys| stack(keys.iter().map(|key| key.entry(cell).value)));
                let values = values.iter().map(|column| place(&column.entry(cell), lines));
                names.chain(values).collect()
            })
            .collect();
        let several_lines = rows.iter().flatten().any(|text| text.contains('\n'));
        let mut table = Table::new();
        table.load_style(if several_lines { RULED } else { PLAIN });
        let names = keys
            .iter()
            .map(|keys| stack(keys.iter().map(|key| key.title.clone())));
        let titles = values
            .iter()
            .map(|column| stack([column.title.clone(), column.unit.to_owned()]));
        table.set_header(names.chain(titles).collect::<Vec<_>>());
        table.add_rows(rows);
        for column in table.column_iter_mut().skip(keys.len()) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    /// What the marks in the table mean.
    pub(crate) fn legend(&self) -> Vec<String> {
        let names = self.names();
        let reference = self.cells().iter().find(|cell| cell.is_reference());
        let mut legend = Vec::new();
        if let Some((least, most)) = self.rounds() {
            let reference = reference.map_or_else(String::new, |cell| names.within_workload(cell.id()));
            let of_its = if names.workloads {
                " of the same workload"
            } else {
                ""
            };
            let rounds = match (least, most) {
                (1, 1) => "one round".to_owned(),
                (least, most) if least == most => format!("{most} rounds"),
                (least, most) => format!("{least} to {most} rounds"),
            };
            legend.push(format!(
                "Changes are against {reference}{of_its}: geometric mean of the ratios within a round, {rounds}."
            ));
            legend.push(if most == 1 {
                "?: one repeat, no interval.".to_owned()
            } else {
                "[low, high]: 95 % interval; ns: not significant, the interval includes no change.".to_owned()
            });
        }
        legend.push(
            "Values are medians over repeats; off-CPU: time off the CPU inside yield points, of the connection \
             threads' total."
                .to_owned(),
        );
        if self.has_admission() {
            legend.push(
                "Active writers: writes that hold a ticket, averaged over the measured part.".to_owned(),
            );
        }
        if self.is_traced() {
            legend.push(
                "Traced times are sums over repeats; a yield's are those between two context switches inside sched_yield."
                    .to_owned(),
            );
        }
        legend
    }
}

fn place(entry: &Entry, lines: Lines) -> String {
    let separator = match lines {
        Lines::One => " ",
        Lines::Stacked => "\n",
    };
    let mut text = entry.value.clone();
    if let Some(change) = &entry.change {
        text.push_str(separator);
        text.push_str(&change.marked());
        if let Some(interval) = change
            .interval
            .as_ref()
            .filter(|_| entry.show_interval && change.is_significant())
        {
            text.push_str(separator);
            text.push_str(interval);
        }
    }
    text
}

fn stack(lines: impl IntoIterator<Item = String>) -> String {
    lines
        .into_iter()
        .collect::<Vec<_>>()
        .join("\n")
        .trim_end()
        .to_owned()
}

fn join(tables: &[Table]) -> String {
    tables
        .iter()
        .map(Table::trim_fmt)
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn fits(text: &str, width: u16) -> bool {
    text.lines()
        .all(|line| line.chars().count() <= usize::from(width))
}
