use scenario::{Backend, Host, Outcome, Scenario};

use crate::{Cell, CellId, Report, names::Names};

/// Collects the outcomes of a comparison while it runs.
///
/// The cells are those of the matrix, in order; the first one of a workload is the reference of the others. The
/// n-th outcome of a cell belongs to round n: outcomes of one round are compared with each other, because they ran
/// next to each other.
#[derive(Clone, Debug)]
pub struct Comparison {
    host: Host,
    scenario: Scenario,
    cells: Vec<(CellId, Vec<Option<Outcome>>)>,
    partial: Vec<String>,
}

impl Comparison {
    /// A comparison of `cells`, the matrix in order, none of which has run yet.
    #[must_use]
    pub fn new(host: Host, scenario: Scenario, cells: Vec<CellId>) -> Self {
        Self {
            host,
            scenario,
            cells: cells.into_iter().map(|id| (id, Vec::new())).collect(),
            partial: Vec::new(),
        }
    }

    /// Adds the next round's outcome of the cell at index `cell` of the matrix.
    ///
    /// There is no room for an outcome outside the matrix: it is dropped, and the report marked partial.
    pub fn add(&mut self, cell: usize, outcome: Outcome) {
        self.next_round(cell, Some(outcome));
    }

    /// Says that the next round of the cell at index `cell` did not finish, and `why`, in one sentence.
    ///
    /// The report is marked partial, and the cell's later outcomes stay paired with those of their own round.
    pub fn add_failed(&mut self, cell: usize, why: &str) {
        if let Some((id, rounds)) = self.cells.get(cell) {
            let names = Names::of(self.cells.iter().map(|(id, _)| id));
            let round = rounds.len() + 1;
            self.partial
                .push(format!("{} failed in round {round}: {why}", names.full(id)));
        }
        self.next_round(cell, None);
    }

    /// Marks the report as partial: it does not hold everything that was asked for. `why` is one sentence.
    pub fn mark_partial(&mut self, why: String) {
        self.partial.push(why);
    }

    /// The report on the outcomes so far.
    ///
    /// Cells without a finished repeat are left out, and the report names them and is marked partial.
    #[must_use]
    pub fn report(&self) -> Report {
        let names = Names::of(self.cells.iter().map(|(id, _)| id));
        let mut partial = self.partial.clone();
        let mut cells = Vec::new();
        for (index, (id, rounds)) in self.cells.iter().enumerate() {
            let reference = self
                .cells
                .iter()
                .enumerate()
                .find(|(_, (candidate, _))| candidate.workload == id.workload);
            let (is_reference, reference_rounds) = match reference {
                Some((at, (_, rounds))) => (at == index, rounds.as_slice()),
                None => (false, [].as_slice()),
            };
            match Cell::new(id.clone(), rounds, reference_rounds, is_reference) {
                Some(cell) => cells.push(cell),
                None => partial.push(format!("no finished repeat: {}", names.full(id))),
            }
        }
        let backend = self.cells.first().map_or(Backend::Native, |(id, _)| id.backend);
        Report::new(backend, self.host.clone(), self.scenario.clone(), cells, partial)
    }

    fn next_round(&mut self, cell: usize, outcome: Option<Outcome>) {
        match self.cells.get_mut(cell) {
            Some((_, rounds)) => rounds.push(outcome),
            None => self.partial.push(format!(
                "an outcome of cell {cell}, outside the matrix, was dropped"
            )),
        }
    }
}
