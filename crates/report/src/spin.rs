//! The spin-wait probe of a kernel.

use comfy_table::{CellAlignment, Table};
use scenario::SpinProbe;

use crate::{format::number, table::PLAIN};

/// All meetings as text, one row for each way to wait.
#[must_use]
pub fn spin_table(probe: &SpinProbe) -> String {
    let mut table = Table::new();
    table.load_style(PLAIN);
    table.set_header([
        "threads",
        "neighbours",
        "wait by",
        "passes",
        "us per pass",
        "us of CPU",
        "ratio",
    ]);
    for row in &probe.rows {
        table.add_row([
            row.meeting.to_string(),
            if row.busy { "busy" } else { "none" }.to_owned(),
            row.wait_by.to_string(),
            row.passes.to_string(),
            number(row.us_per_pass),
            number(row.cpu_us_per_pass),
            format!("{:.2}", row.ratio),
        ]);
    }
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!(
        "Threads wait for each other in a loop, on Linux {} ({}); ratio: to the faster of the other two ways\n\n{}\n",
        probe.host.kernel,
        probe.host.era,
        table.trim_fmt()
    )
}
