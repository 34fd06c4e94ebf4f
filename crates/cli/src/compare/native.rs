use std::sync::atomic::AtomicBool;

use report::Comparison;
use scenario::{Auto, Scenario};
use testbed::native::{self, CpuList, CpuSplit, Native};

use super::{matrix::Cell, rounds};
use crate::{failure::Failure, progress::Progress};

/// Compares on this host.
pub(super) fn run(
    mut scenario: Scenario,
    cells: &[Cell],
    repeat: u32,
    trace: bool,
    interrupted: &AtomicBool,
    progress: Progress,
) -> Result<(Comparison, Option<Failure>), Failure> {
    let available = CpuList::available().map_err(Failure::run)?;
    let split = CpuSplit::new(&available, &scenario).map_err(Failure::usage)?;
    // A result says what it was made with, not that it was derived.
    scenario.cpus = Auto::Given(split.cpus());
    scenario.connections = Auto::Given(split.connections(&scenario));
    if !split.shared {
        scenario.client_cpus = Auto::Given(split.client_cpus());
    }
    let backend = Native {
        program: std::env::current_exe().map_err(Failure::run)?,
        split,
        client_priority: None,
        trace,
    };
    backend
        .check(&scenario, cells.iter().map(|cell| cell.variant))
        .map_err(Failure::usage)?;
    progress.step("looking at this host's kernel");
    let host = native::host();
    Ok(rounds::run(
        &backend,
        &host,
        &scenario,
        cells,
        repeat,
        interrupted,
        progress,
    ))
}
