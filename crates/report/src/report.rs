use scenario::{Backend, Host, Operation, Scenario, Workload};

use crate::{
    Cell, CellId, Metric,
    names::Names,
    unique::{unique, unique_by},
};

/// The result of a comparison, ready to be printed.
///
/// Serialises to the JSON contract: `schema`, `host`, `scenario`, `partial` and `cells`.
#[derive(Clone, Debug)]
pub struct Report {
    backend: Backend,
    host: Host,
    scenario: Scenario,
    cells: Vec<Cell>,
    partial: Vec<String>,
}

impl Report {
    pub(crate) const fn new(
        backend: Backend,
        host: Host,
        scenario: Scenario,
        cells: Vec<Cell>,
        partial: Vec<String>,
    ) -> Self {
        Self {
            backend,
            host,
            scenario,
            cells,
            partial,
        }
    }

    /// Where the cells ran: of a mixed matrix, the first.
    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    /// The machine that the comparison was started on.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The settings that all cells share.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The cells that have a result, in the order of the matrix.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Why the report does not hold everything that was asked for, one sentence each; empty if it does.
    #[must_use]
    pub fn partial(&self) -> &[String] {
        &self.partial
    }

    pub(crate) fn names(&self) -> Names {
        Names::of(self.cells.iter().map(Cell::id))
    }

    /// The workloads that have a cell, in the order of the matrix.
    pub(crate) fn workloads(&self) -> Vec<Workload> {
        unique(self.cells.iter().map(|cell| cell.id().workload))
    }

    pub(crate) fn cells_of(&self, workload: Workload) -> impl Iterator<Item = &Cell> + Clone {
        self.cells
            .iter()
            .filter(move |cell| cell.id().workload == workload)
    }

    /// One cell's id for each kernel, in the order of the matrix.
    pub(crate) fn kernels(&self) -> Vec<&CellId> {
        unique_by(self.cells.iter().map(Cell::id), |id| id.place())
    }

    /// Whether any cell has `operation`.
    pub(crate) fn has(&self, operation: Operation) -> bool {
        self.cells
            .iter()
            .any(|cell| cell.outcome().operations.contains_key(&operation))
    }

    /// The least and the most rounds that a comparison of throughput rests on; none if nothing was compared.
    pub(crate) fn rounds(&self) -> Option<(usize, usize)> {
        let rounds = || {
            self.cells
                .iter()
                .filter(|cell| !cell.is_reference())
                .filter_map(|cell| cell.ratio(Metric::Throughput))
                .map(|ratio| ratio.rounds)
        };
        Some((rounds().min()?, rounds().max()?))
    }
}
