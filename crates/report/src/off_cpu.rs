//! The tables of a traced comparison: why connection threads were off the CPU, and who ran while they had given it up.

use scenario::{Cause, OffCpu, ThreadKind};

use crate::{
    Cell, Report,
    format::{absent, share},
    grid::{Column, Part},
    side::{Titled, of_number},
};

/// A kind of thread below this share in every cell would be a column of `0.0%`.
const LEAST_SHARE: f64 = 0.0005;

impl Report {
    /// What traces came to; nothing if no cell was traced.
    pub(crate) fn off_cpu_tables(&self) -> Vec<Titled> {
        if !self.is_traced() {
            return Vec::new();
        }
        let causes = Titled {
            title: "Off-CPU time of connection threads by cause, as a share of their time",
            columns: self.names_of_cells().chain(causes()).collect(),
        };
        let kinds = self.kinds();
        let meanwhile = (!kinds.is_empty()).then(|| Titled {
            title: "Who ran while a connection thread was off its CPU in a yield, as a share of that time",
            columns: self.names_of_cells().chain(kinds).collect(),
        });
        std::iter::once(causes).chain(meanwhile).collect()
    }

    pub(crate) fn is_traced(&self) -> bool {
        self.cells().iter().any(|cell| cell.outcome().off_cpu.is_some())
    }

    /// A column for each kind of thread that is worth one.
    fn kinds(&self) -> Vec<Column> {
        let seen = |kind| {
            let mut cells = self.cells().iter();
            cells.any(|cell| ran(cell, kind).is_some_and(|share| share >= LEAST_SHARE))
        };
        let kinds = ThreadKind::ALL.iter().copied().filter(|kind| seen(*kind));
        kinds
            .map(|kind| of_share(kind.name(), move |cell| ran(cell, kind)))
            .collect()
    }
}

fn causes() -> Vec<Column> {
    let mut columns = vec![of_share("on CPU", |cell| traced(cell)?.on_cpu_share())];
    for &cause in Cause::ALL {
        columns.push(of_share(cause.name(), move |cell| traced(cell)?.share(cause)));
        if cause == Cause::Yield {
            columns.push(of_number(cause.name(), "mean us", move |cell| {
                traced(cell)?.by_cause.get(&cause)?.mean_us()
            }));
        }
    }
    columns
}

fn of_share(title: &str, value: impl Fn(&Cell) -> Option<f64> + 'static) -> Column {
    Column::plain(Part::Cost, title, "share", move |cell| {
        value(cell).map_or_else(absent, share)
    })
}

fn traced(cell: &Cell) -> Option<&OffCpu> {
    cell.outcome().off_cpu.as_ref()
}

/// The share of threads of `kind` in what ran while others waited in a yield; none if nobody did.
fn ran(cell: &Cell, kind: ThreadKind) -> Option<f64> {
    let ran = &traced(cell)?.ran_meanwhile;
    let total: f64 = ran.iter().map(|(_, us)| us).sum();
    let own = ran.iter().find(|(other, _)| *other == kind);
    (total > 0.0).then(|| own.map_or(0.0, |(_, us)| us / total))
}
