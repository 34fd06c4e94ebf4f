use crate::{Report, unique::unique};

impl Report {
    /// The notes of all cells, each once, behind the names of the cells that it belongs to.
    pub(crate) fn notes(&self) -> Vec<String> {
        unique(self.cells().iter().flat_map(|cell| &cell.outcome().notes))
            .into_iter()
            .map(|note| format!("{}: {note}", self.owners(note)))
            .collect()
    }

    fn owners(&self, note: &String) -> String {
        let owners: Vec<_> = self
            .cells()
            .iter()
            .filter(|cell| cell.outcome().notes.contains(note))
            .collect();
        if owners.len() == self.cells().len() {
            return "all".to_owned();
        }
        // A variant that takes the same note under several workloads is named once.
        let names = self.names();
        unique(owners.into_iter().map(|cell| names.within_workload(cell.id()))).join(", ")
    }
}
