use std::collections::HashSet;

use crate::CellId;

/// What must be said to tell the cells of a matrix apart: no kernel where there is only one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    pub(crate) backends: bool,
    pub(crate) kernels: bool,
    pub(crate) workloads: bool,
}

impl Names {
    pub(crate) fn of<'a>(cells: impl Iterator<Item = &'a CellId> + Clone) -> Self {
        Self {
            backends: several(cells.clone().map(|id| id.backend)),
            kernels: several(cells.clone().map(CellId::place)),
            workloads: several(cells.map(|id| id.workload)),
        }
    }

    /// The cell's name among those of its workload, such as `capped` or `capped on 6.1.177`.
    pub(crate) fn within_workload(self, id: &CellId) -> String {
        let kernel = if self.kernels {
            format!(" on {}", id.kernel)
        } else {
            String::new()
        };
        let backend = if self.backends {
            format!(" ({})", id.backend)
        } else {
            String::new()
        };
        format!("{}{kernel}{backend}", id.variant)
    }

    /// The cell's name among those of the matrix.
    pub(crate) fn full(self, id: &CellId) -> String {
        let name = self.within_workload(id);
        if self.workloads {
            format!("{}, {name}", id.workload)
        } else {
            name
        }
    }
}

fn several<T: Eq + std::hash::Hash>(items: impl Iterator<Item = T>) -> bool {
    items.collect::<HashSet<_>>().len() > 1
}
