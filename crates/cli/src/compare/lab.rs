use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use clap::Args;
use lab::{Cache, CellOutcome, Lab, LabError, MachineError, kernels::Kernel};
use report::{CellId, Comparison};
use scenario::{Backend, Run, Scenario};
use testbed::native;

use super::matrix::Cell;
use crate::{
    failure::Failure,
    lab::{LabArgs, check_clock},
    output,
    progress::Progress,
};

/// Rounds where nothing else is said: a result is the same each time. More of them show what hangs on the seed.
const DETERMINISTIC_ROUNDS: u32 = 1;

/// What a comparison of kernels takes beside the matrix.
#[derive(Debug, Args)]
pub(super) struct KernelArgs {
    /// Kernel for the lab: a version, an era, or the path of a vmlinuz; may be given more than once; those of the standard comparison unless given (`cede lab list`)
    #[arg(long, value_name = "KERNEL")]
    kernel: Vec<String>,
    /// Boot each cell of the lab twice, and fail it unless both digests are equal
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    lab: LabArgs,
}

/// Everything that the runs of one comparison share.
struct Plan<'a> {
    lab: &'a Lab,
    kernels: &'a [Kernel],
    cells: &'a [Cell],
    scenario: &'a Scenario,
    /// Where the records of this comparison are kept.
    folder: PathBuf,
    verify: bool,
    trace: bool,
    interrupted: &'a AtomicBool,
    progress: Progress,
}

/// What the boots came to, by the cell's index in the matrix and the round; what was interrupted is absent.
type Results = BTreeMap<(usize, u32), Result<CellOutcome, String>>;

/// One boot: a cell of the matrix in one round.
#[derive(Clone, Copy, Debug)]
struct Job {
    /// Its place in the order in which they begin, from 1 on.
    number: usize,
    kernel: usize,
    cell: usize,
    round: u32,
}

impl KernelArgs {
    /// Whether any of them is given.
    pub(super) fn is_given(&self) -> bool {
        !self.kernel.is_empty() || self.verify || self.lab.is_given()
    }

    /// Compares kernels in the lab.
    pub(super) fn run(
        &self,
        scenario: &Scenario,
        cells: &[Cell],
        repeat: Option<u32>,
        trace: bool,
        interrupted: &AtomicBool,
        progress: Progress,
    ) -> Result<(Comparison, Option<Failure>), Failure> {
        Lab::check(scenario).map_err(Failure::usage)?;
        let cache = Cache::of_user().map_err(Failure::usage)?;
        let lab = self.lab.lab(&cache)?;
        if self.verify && !lab.clock.is_deterministic() {
            return Err(Failure::usage(format!(
                "--verify: expected --clock instructions; in real time ({}) no two boots are the same",
                lab.clock
            )));
        }
        let named: Vec<String> = match self.kernel.as_slice() {
            [] => lab::kernels::standard().map(ToOwned::to_owned).collect(),
            named => named.to_vec(),
        };
        let kernels = self.lab.kernels(&cache, &named, progress)?;
        let folder = lab::records::new_folder(&cache).map_err(Failure::run)?;
        if let Some(kernel) = kernels.first() {
            check_clock(&lab, kernel, &folder, interrupted)?;
        }
        let repeat = repeat.unwrap_or(if lab.clock.is_deterministic() {
            DETERMINISTIC_ROUNDS
        } else {
            super::ROUNDS
        });
        let scenario = Lab::complete(scenario);
        let plan = Plan {
            lab: &lab,
            kernels: &kernels,
            cells,
            scenario: &scenario,
            folder,
            verify: self.verify,
            trace,
            interrupted,
            progress,
        };
        let jobs = plan.jobs(repeat);
        let outcomes = self.lab.each(&lab, &jobs, |job| plan.boot(*job, jobs.len()));
        let results = jobs
            .iter()
            .zip(outcomes)
            .filter_map(|(job, outcome)| Some(((plan.index(*job), job.round), outcome?)))
            .collect();
        Ok(plan.compare(&results, repeat))
    }
}

impl Plan<'_> {
    /// Every boot, in rounds.
    fn jobs(&self, repeat: u32) -> Vec<Job> {
        let cells = (1..=repeat).flat_map(|round| {
            (0..self.kernels.len())
                .flat_map(move |kernel| (0..self.cells.len()).map(move |cell| (kernel, cell, round)))
        });
        (1..)
            .zip(cells)
            .map(|(number, (kernel, cell, round))| Job {
                number,
                kernel,
                cell,
                round,
            })
            .collect()
    }

    /// The job's cell in the matrix.
    fn index(&self, job: Job) -> usize {
        job.kernel * self.cells.len() + job.cell
    }

    /// Runs one job; none if it was interrupted, or has not begun before that.
    fn boot(&self, job: Job, of: usize) -> Option<Result<CellOutcome, String>> {
        if self.interrupted.load(Ordering::SeqCst) {
            return None;
        }
        let (kernel, cell) = (self.kernels.get(job.kernel)?, self.cells.get(job.cell)?);
        let seed = self.scenario.seed.wrapping_add(u64::from(job.round - 1));
        let name = format!("{} {} {}", kernel.version, cell.workload, cell.variant);
        let number = job.number;
        self.progress
            .step(&format!("{number} of {of}: {name}, seed {seed}"));
        let run = Run {
            scenario: Scenario {
                seed,
                ..self.scenario.clone()
            },
            workload: cell.workload,
            variant: cell.variant,
        };
        // The number keeps two kernels of the same version apart.
        let record = format!(
            "{number:03}-{}-{}-{}",
            kernel.version, cell.workload, cell.variant
        );
        let folder = self.folder.join(&record);
        let first = self.once(kernel, &run, &folder);
        let result = match (&first, self.verify) {
            (Ok(outcome), true) => {
                let again = self.once(kernel, &run, &self.folder.join(format!("{record}-again")));
                again.and_then(|again| verified(outcome, &again))
            }
            _ => first,
        };
        match result {
            Ok(outcome) => Some(Ok(outcome)),
            Err(LabError::Machine(MachineError::Interrupted)) => None,
            Err(error) => {
                self.progress.end();
                output::tell(format!("{name}: {error}; the record is in {}", folder.display()));
                Some(Err(error.to_string()))
            }
        }
    }

    fn once(&self, kernel: &Kernel, run: &Run, folder: &Path) -> Result<CellOutcome, LabError> {
        self.lab.run(kernel, run, self.trace, folder, self.interrupted)
    }

    fn compare(&self, results: &Results, repeat: u32) -> (Comparison, Option<Failure>) {
        let ids = self
            .kernels
            .iter()
            .enumerate()
            .flat_map(|(at, kernel)| self.ids(at, kernel, results))
            .collect::<Vec<_>>();
        let total = ids.len();
        let mut comparison = Comparison::new(native::host(), self.scenario.clone(), ids);
        let mut failed = 0;
        for round in 1..=repeat {
            for index in 0..total {
                match results.get(&(index, round)) {
                    Some(Ok(outcome)) => comparison.add(index, outcome.outcome.clone()),
                    Some(Err(why)) => {
                        comparison.add_failed(index, why);
                        failed += 1;
                    }
                    None => {}
                }
            }
        }
        let runs = total * repeat as usize;
        let interrupted = self.interrupted.load(Ordering::SeqCst) && results.len() < runs;
        let failure = super::ending(&mut comparison, interrupted, failed, &format!("{runs} runs"));
        (comparison, failure)
    }

    /// The cells of one kernel. What it is called is known once it has run.
    fn ids(&self, at: usize, kernel: &Kernel, results: &Results) -> Vec<CellId> {
        let own = at * self.cells.len()..(at + 1) * self.cells.len();
        let seen = results
            .iter()
            .filter(|((index, _), _)| own.contains(index))
            .find_map(|(_, result)| result.as_ref().ok());
        let era = kernel
            .era
            .clone()
            .or_else(|| seen.and_then(|outcome| outcome.era.clone()));
        self.cells
            .iter()
            .map(|cell| CellId {
                backend: Backend::Lab,
                kernel: kernel.version.clone(),
                release: seen
                    .map(|outcome| outcome.guest.release.clone())
                    .unwrap_or_default(),
                era: era.clone().unwrap_or_else(|| "unknown".to_owned()),
                workload: cell.workload,
                variant: cell.variant,
            })
            .collect()
    }
}

/// The outcome of two boots with the same digest.
fn verified(first: &CellOutcome, again: &CellOutcome) -> Result<CellOutcome, LabError> {
    if first.outcome.digest == again.outcome.digest {
        let mut outcome = first.clone();
        outcome
            .outcome
            .notes
            .push("a second boot had the same digest".to_owned());
        Ok(outcome)
    } else {
        let of = |outcome: &CellOutcome| outcome.outcome.digest.clone().unwrap_or_default();
        Err(LabError::Differs {
            first: of(first),
            again: of(again),
        })
    }
}
