use std::collections::BTreeMap;

use scenario::{Cause, OffCpu};
use serde::Serialize;
use serde_json::{Map, Value};

/// What a trace came to, without the list of every thread.
#[derive(Serialize)]
pub(super) struct OffCpuView {
    window_us: f64,
    lost_events: u64,
    connections: u64,
    on_cpu_us: f64,
    on_cpu_share: f64,
    by_cause: BTreeMap<Cause, CauseView>,
    /// Longest first.
    ran_meanwhile_us: Map<String, Value>,
}

#[derive(Serialize)]
struct CauseView {
    times: u64,
    us: f64,
    runnable_us: f64,
    share: f64,
}

impl OffCpuView {
    pub(super) fn of(off_cpu: &OffCpu) -> Self {
        let view = |(cause, time): (&Cause, &scenario::OffTime)| {
            let view = CauseView {
                times: time.times,
                us: time.us,
                runnable_us: time.runnable_us,
                share: off_cpu.share(*cause).unwrap_or_default(),
            };
            (*cause, view)
        };
        Self {
            window_us: off_cpu.window_us,
            lost_events: off_cpu.lost_events,
            connections: off_cpu.connections,
            on_cpu_us: off_cpu.on_cpu_us,
            on_cpu_share: off_cpu.on_cpu_share().unwrap_or_default(),
            by_cause: off_cpu.by_cause.iter().map(view).collect(),
            ran_meanwhile_us: off_cpu
                .ran_meanwhile
                .iter()
                .map(|(kind, us)| (kind.to_string(), Value::from(*us)))
                .collect(),
        }
    }
}
