//! The table of a comparison with admission control: how many may work in the storage engine, and how many do.

use scenario::AdmissionOutcome;

use crate::{
    Cell, Report,
    grid::Column,
    side::{Titled, of_number},
};

impl Report {
    /// Tickets and who holds them; nothing if no cell had admission control.
    pub(crate) fn admission_table(&self) -> Option<Titled> {
        self.has_admission().then(|| Titled {
            title: "Admission: tickets for work in the storage engine",
            columns: self.names_of_cells().chain(tickets()).collect(),
        })
    }

    pub(crate) fn has_admission(&self) -> bool {
        self.cells().iter().any(|cell| cell.outcome().admission.is_some())
    }
}

fn tickets() -> [Column; 4] {
    [
        ticket_column("read tickets", "final", |one| one.read_tickets_final),
        ticket_column("write tickets", "final", |one| one.write_tickets_final),
        ticket_column("write tickets", "mean", |one| one.write_tickets_mean),
        ticket_column("active writers", "mean", |one| one.active_writers_mean),
    ]
}

fn ticket_column(title: &str, unit: &'static str, value: fn(&AdmissionOutcome) -> f64) -> Column {
    let of_cell = move |cell: &Cell| cell.outcome().admission.as_ref().map(value);
    of_number(title, unit, of_cell)
}
