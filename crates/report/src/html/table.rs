use super::{each, escape::escape};
use crate::{
    Report,
    change::{Change, Mark},
    grid::{Column, Entry, Part},
};

/// A table of all cells, called `name`, which scrolls sideways where it does not fit.
pub(super) fn render(report: &Report, name: &str, columns: &[Column]) -> String {
    let head = each(columns, |column| {
        let class = if column.part == Part::Key {
            ""
        } else {
            " class=\"value\""
        };
        let title = escape(&column.title);
        format!(
            "<th scope=\"col\"{class}>{title} <small>{}</small></th>",
            column.unit
        )
    });
    let rows = each(report.cells(), |cell| {
        let row = each(columns, |column| place(column.part, &column.entry(cell)));
        let class = if cell.is_reference() {
            " class=\"first\""
        } else {
            ""
        };
        format!("<tr{class}>{row}</tr>")
    });
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">\
         <table class=\"cells\"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

fn place(part: Part, entry: &Entry) -> String {
    let value = escape(&entry.value);
    if part == Part::Key {
        return format!("<th scope=\"row\">{value}</th>");
    }
    let change = entry.change.as_ref().map_or_else(String::new, change);
    format!("<td>{value}{change}</td>")
}

fn change(change: &Change) -> String {
    let class = match change.mark {
        Mark::Better => "better",
        Mark::Worse => "worse",
        Mark::NotSignificant | Mark::Unknown => "noise",
    };
    let interval = change.interval.as_ref().map_or_else(String::new, |interval| {
        format!("<small>{}</small>", escape(interval))
    });
    format!(
        "<span class=\"{class}\">{}</span>{interval}",
        escape(&change.marked())
    )
}
