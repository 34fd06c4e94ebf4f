use std::sync::atomic::{AtomicBool, Ordering};

use report::{CellId, Comparison};
use scenario::{Backend, Host, Run, Scenario};
use testbed::native::{Native, NativeError};

use super::matrix::Cell;
use crate::{failure::Failure, output, progress::Progress};

/// Runs every cell once in each round, in turn, so that the host's drift hits all alike.
///
/// A cell that fails is left out of the following rounds; Ctrl-C ends them all. What was finished is kept, and the
/// comparison is marked partial.
pub(super) fn run(
    backend: &Native,
    host: &Host,
    scenario: &Scenario,
    cells: &[Cell],
    repeat: u32,
    interrupted: &AtomicBool,
    progress: Progress,
) -> (Comparison, Option<Failure>) {
    let mut comparison = Comparison::new(host.clone(), scenario.clone(), ids(host, cells));
    let mut failed = 0;
    let mut left: Vec<_> = cells.iter().enumerate().collect();
    for round in 1..=repeat {
        left.retain(|(index, cell)| {
            if interrupted.load(Ordering::SeqCst) {
                return false;
            }
            let title = format!(
                "round {round} of {repeat}, {} of {}: {} {}",
                index + 1,
                cells.len(),
                cell.workload,
                cell.variant
            );
            progress.step(&title);
            // Interleaved rounds see the same requests: a seed of its own for each, the same for all cells.
            let seed = scenario.seed.wrapping_add(u64::from(round - 1));
            let run = Run {
                scenario: Scenario {
                    seed,
                    ..scenario.clone()
                },
                workload: cell.workload,
                variant: cell.variant,
            };
            let outcome = backend.run(&run, interrupted, move |line| {
                progress.detail(&format!("{title}: {line}"));
            });
            match outcome {
                Ok(measured) => {
                    comparison.add(*index, measured.outcome);
                    true
                }
                Err(NativeError::Interrupted) => false,
                Err(error) => {
                    progress.end();
                    output::tell(format_args!("{} {}: {error}", cell.workload, cell.variant));
                    comparison.add_failed(*index, &error.to_string());
                    failed += 1;
                    false
                }
            }
        });
    }
    let interrupted = interrupted.load(Ordering::SeqCst);
    let failure = super::ending(
        &mut comparison,
        interrupted,
        failed,
        &format!("{} cells", cells.len()),
    );
    (comparison, failure)
}

fn ids(host: &Host, cells: &[Cell]) -> Vec<CellId> {
    cells
        .iter()
        .map(|cell| CellId {
            backend: Backend::Native,
            kernel: host.kernel.clone(),
            release: host.release.clone(),
            era: host.era.clone(),
            workload: cell.workload,
            variant: cell.variant,
        })
        .collect()
}
