use crate::{Auto, Engine, Scenario, choices::choices};

choices! {
    /// Where a scenario runs.
    Backend: "backend" {
        /// On this host.
        Native = "native",
        /// On real kernels in virtual machines.
        Lab = "lab",
    }
}

impl Backend {
    /// The scenario that runs where nothing else is said.
    #[must_use]
    pub fn scenario(self) -> Scenario {
        match self {
            Self::Native => Scenario::default(),
            Self::Lab => Scenario {
                cpus: Auto::Given(1),
                engine: Engine::Synthetic,
                // The synthetic engine keeps no documents, and each would cost its way over the wire.
                records: 1000,
                // Kernel threads of the boot are competitors that never yield: they have to be done. Idle time is free.
                settle_s: 5.0,
                warmup_s: 0.3,
                seconds: 2.0,
                ..Scenario::default()
            },
        }
    }
}
