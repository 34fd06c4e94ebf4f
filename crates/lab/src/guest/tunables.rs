//! The scheduler's tunables. The kernel scales them by the number of its CPUs at boot (`get_update_sysctl_factor()` in
//! kernel/sched/fair.c: 1 + log2 of the CPUs, at most 8 of them), so that a small guest would not be scheduled as the
//! servers that it stands for.

use std::{fs, io, path::Path};

const FOLDER: &str = "/sys/kernel/debug/sched";

/// What a kernel has on 8 CPUs or more, in ns: the base slice of EEVDF (0.7 ms for each step of the factor 4, since 6.12.31
/// and 6.15) and the three of CFS (0.75, 1 and 6 ms for each).
const EIGHT_CPUS: [(&str, u64); 4] = [
    ("base_slice_ns", 2_800_000),
    ("min_granularity_ns", 3_000_000),
    ("wakeup_granularity_ns", 4_000_000),
    ("latency_ns", 24_000_000),
];

/// Sets those tunables that this kernel has.
pub(super) fn pin() -> io::Result<()> {
    for (name, nanos) in EIGHT_CPUS {
        let file = Path::new(FOLDER).join(name);
        if file.exists() {
            fs::write(&file, nanos.to_string())
                .map_err(|error| io::Error::other(format!("cannot set {}: {error}", file.display())))?;
        }
    }
    Ok(())
}

/// Those that this kernel has, as `NAME=VALUE`.
pub(super) fn in_effect() -> Vec<String> {
    EIGHT_CPUS
        .iter()
        .filter_map(|(name, _)| {
            let value = fs::read_to_string(Path::new(FOLDER).join(name)).ok()?;
            Some(format!("{name}={}", value.trim()))
        })
        .collect()
}
