use crate::{CellId, Report};

/// What a kernel's `sched_yield` means for a comparison made on it.
///
/// The forfeit is "sched/fair: Forfeit vruntime on yield", commit 79104becf42b of Linux 6.19-rc1, in the stable
/// kernels 6.12.63 and 6.18.2.
fn meaning(era: &str) -> &'static str {
    match era {
        "eevdf-forfeit" => "sched_yield forfeits the slice here: the comparison is meaningful",
        "eevdf-deadline" => {
            "sched_yield only moves the deadline here: expect little difference; \
             a forfeiting kernel is 6.12.63 or later, 6.18.2 or later"
        }
        "cfs" => {
            "yields are cheap on this kernel: expect little difference; \
             a forfeiting kernel is 6.12.63 or later, 6.18.2 or later"
        }
        "sched-ext" => {
            "a BPF scheduler decides what sched_yield does here: the comparison is about that scheduler, not the kernel"
        }
        _ => {
            "it is not known what sched_yield does here: judge by the yields' cost; \
             a forfeiting kernel is 6.12.63 or later, 6.18.2 or later"
        }
    }
}

impl Report {
    /// One line per kernel: which it is, and whether it makes the result meaningful; and one about the scenario.
    pub(crate) fn heading(&self) -> Vec<String> {
        let changes: Vec<_> = self.scenario().changes_from(&self.backend().scenario()).collect();
        let scenario = match changes.as_slice() {
            [] => "scenario: the default".to_owned(),
            changes => format!("scenario: the default but for {}", changes.join(", ")),
        };
        self.kernels().into_iter().map(line).chain([scenario]).collect()
    }
}

fn line(id: &CellId) -> String {
    // A kernel that is only modelled has no release.
    let release = if id.release.is_empty() || id.release == id.kernel {
        String::new()
    } else {
        format!(" ({})", id.release)
    };
    format!(
        "{}: kernel {}{release}, era {}: {}",
        id.backend,
        id.kernel,
        id.era,
        meaning(&id.era)
    )
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_era_has_a_meaning_of_its_own() {
        let eras = ["cfs", "eevdf-deadline", "eevdf-forfeit", "sched-ext", "unknown"];
        assert_eq!(
            eras.map(meaning).into_iter().collect::<HashSet<_>>().len(),
            eras.len()
        );
        assert_eq!(meaning("from the future"), meaning("unknown"));
    }
}
