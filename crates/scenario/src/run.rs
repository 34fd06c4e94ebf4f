use crate::{Mix, Scenario, Variant, Workload};

/// One run: a scenario with the workload and the variant that it is run with. A backend makes an
/// [`Outcome`](crate::Outcome) of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The settings.
    pub scenario: Scenario,
    /// The mix of operations.
    pub workload: Workload,
    /// The way to give up the CPU.
    pub variant: Variant,
}

impl Run {
    /// The shares of the operations: the workload's, unless the scenario overrides them.
    #[must_use]
    pub fn mix(&self) -> Mix {
        let read_percent = self
            .scenario
            .read_percent
            .unwrap_or_else(|| self.workload.mix().read_percent);
        Mix { read_percent }
    }
}
