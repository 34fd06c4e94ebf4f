use crate::{Auto, Mix, Scenario, ScenarioError, Variant, Workload};

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
    /// The operations: the workload's, unless the scenario overrides their shares.
    ///
    /// # Errors
    /// If it does so for a workload whose shares are fixed.
    pub fn mix(&self) -> Result<Mix, ScenarioError> {
        match (self.workload.mix(), self.scenario.read_percent) {
            (mix, Auto::Auto) => Ok(mix),
            (Mix::Ycsb { .. }, Auto::Given(read_percent)) => Ok(Mix::Ycsb { read_percent }),
            (Mix::Ecommerce, Auto::Given(_)) => Err(ScenarioError::FixedMix(self.workload)),
        }
    }
}
