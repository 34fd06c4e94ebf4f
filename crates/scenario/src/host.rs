use serde::{Deserialize, Serialize};

/// The machine and the kernel that a scenario ran on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Upstream version, x.y.z, of the kernel.
    pub kernel: String,
    /// What `uname -r` prints.
    pub release: String,
    /// What `sched_yield` was measured to do: `cfs`, `eevdf-deadline`, `eevdf-forfeit`, `sched-ext`, `unknown`.
    pub era: String,
    /// What the kernel's version alone suggests for `era`.
    pub era_by_version: String,
    /// How the era was told, in one line.
    pub era_evidence: String,
    /// Mean cost of one `sched_yield` beside one busy thread, in us; absent if it could not be measured.
    pub yield_cost_us: Option<f64>,
    /// EEVDF base slice, in us; absent if the kernel does not tell.
    pub base_slice_us: Option<f64>,
    /// Whether threads may choose their own slice.
    pub custom_slice: bool,
    /// CPUs that this process may use.
    pub cpus: u32,
    /// The processor's own name.
    pub cpu_model: String,
    /// Timer interrupts per second; absent if the clock does not tell.
    pub hz: Option<u32>,
    /// Preemption model, as far as the kernel tells.
    pub preemption: String,
}
