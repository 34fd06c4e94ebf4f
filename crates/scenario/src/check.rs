use thiserror::Error;

use crate::{Scenario, Workload};

/// Why a scenario whose keys all have values that they take means nothing all the same.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ScenarioError {
    /// Updates would do all the background's work themselves, and its thread would never run.
    #[error(
        "background_burst_us={burst_us}: expected at most background_limit_us, which is {limit_us}; updates do the work past \
         it themselves"
    )]
    BurstPastLimit {
        /// Work at which the background thread runs, in us.
        burst_us: f64,
        /// Work past which updates do their share, in us.
        limit_us: f64,
    },
    /// The shares of the workload's operations are part of its definition.
    #[error("read_percent is set, but the shares of {0} are fixed: expected a ycsb workload")]
    FixedMix(Workload),
}

impl Scenario {
    /// Checks what no single key can tell. To be called once all are set.
    ///
    /// # Errors
    /// Says which keys do not go together.
    pub fn check(&self) -> Result<(), ScenarioError> {
        let (burst_us, limit_us) = (self.background_burst_us, self.background_limit_us);
        if self.background_us_per_update > 0.0 && burst_us > limit_us {
            return Err(ScenarioError::BurstPastLimit { burst_us, limit_us });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_fits_below_the_limit() {
        let mut scenario = Scenario::default();
        assert_eq!(scenario.check(), Ok(()));
        scenario.background_limit_us = scenario.background_burst_us;
        assert_eq!(scenario.check(), Ok(()));
        scenario.background_burst_us += 1.0;
        let message = scenario.check().unwrap_err().to_string();
        assert!(
            message
                .starts_with("background_burst_us=1001: expected at most background_limit_us, which is 1000")
        );
        scenario.background_us_per_update = 0.0;
        assert_eq!(scenario.check(), Ok(()), "there is no background work");
    }
}
