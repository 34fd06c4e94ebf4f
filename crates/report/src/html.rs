//! The report as one HTML file: no scripts, no fonts, nothing from elsewhere.

mod axis;
mod curve;
mod escape;
mod facts;
mod latency;
mod page;
mod series;
mod table;
mod throughput;
mod timeline;

use scenario::Workload;

use self::{escape::escape, series::Series};
use crate::{Report, side::Titled};

impl Report {
    /// The report as an HTML document that needs nothing but itself: verdict, plots, the table, what they mean,
    /// and the facts on host and scenario.
    #[must_use]
    pub fn html(&self) -> String {
        let series = Series::of_cells(self.cells());
        let workloads = each(self.workloads(), |workload| self.section(workload, &series));
        let body = [
            format!(
                "<header><h1>cede compare</h1>{}</header>",
                list("kernels", &self.heading())
            ),
            titled("verdict", "Verdict", &list("verdicts", &self.verdict())),
            self.warnings(),
            workloads,
            titled(
                "table",
                "All cells",
                &table::render(self, "Table of all cells", &self.columns()),
            ),
            self.side("admission", "Admission control", self.admission_table()),
            self.side("off-cpu", "Off-CPU time", self.off_cpu_tables()),
            titled("reading", "How to read this", &page::reading_guide(self.legend())),
            titled(
                "facts",
                "Host and scenario",
                &facts::render(self.host(), self.scenario()),
            ),
        ];
        page::document("cede compare", &body.concat())
    }

    /// A section of tables, if there are any.
    fn side(&self, id: &str, heading: &str, tables: impl IntoIterator<Item = Titled>) -> String {
        let tables = each(tables, |Titled { title, columns }| {
            format!("<h3>{title}</h3>{}", table::render(self, title, &columns))
        });
        if tables.is_empty() {
            return tables;
        }
        titled(id, heading, &tables)
    }

    fn warnings(&self) -> String {
        let partial = if self.partial().is_empty() {
            String::new()
        } else {
            let list = list("partial", self.partial());
            titled(
                "partial",
                "Partial: this report does not hold everything that was asked for",
                &list,
            )
        };
        let notes = if self.notes().is_empty() {
            String::new()
        } else {
            titled("notes", "Notes", &list("notes", &self.notes()))
        };
        partial + &notes
    }

    fn section(&self, workload: Workload, series: &[Series]) -> String {
        let names = self.names();
        let cells: Vec<_> = self
            .cells()
            .iter()
            .zip(series)
            .filter(|(cell, _)| cell.id().workload == workload)
            .map(|(cell, series)| throughput::Named {
                cell,
                series: *series,
                name: names.within_workload(cell.id()),
            })
            .collect();
        let legend = each(&cells, |named| {
            format!("<li>{} {}</li>", named.series.swatch(), escape(&named.name))
        });
        let legend = format!("<div><ul class=\"legend\">{legend}</ul>{}</div>", page::CAPTION);
        let plots = [
            throughput::plot(workload, &cells),
            legend,
            latency::plots(workload, &cells),
            timeline::plots(workload, &cells),
        ]
        .concat();
        let body = format!("<div class=\"plots\">{plots}</div>");
        titled(workload.name(), workload.name(), &body)
    }
}

/// A section with a heading. Both texts are this crate's own or a workload's name.
fn titled(id: &str, title: &str, body: &str) -> String {
    format!("<section id=\"{id}\"><h2>{title}</h2>{body}</section>")
}

/// What `draw` makes of each of `items`, one behind the other.
fn each<T>(items: impl IntoIterator<Item = T>, draw: impl FnMut(T) -> String) -> String {
    items.into_iter().map(draw).collect()
}

fn list(class: &str, lines: &[String]) -> String {
    let items = each(lines, |line| format!("<li>{}</li>", escape(line)));
    format!("<ul class=\"{class}\">{items}</ul>")
}
