use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use clap::Args;
use lab::{Cache, CellOutcome, Extras, Lab, LabError, MachineError, kernels::Kernel};
use report::{CellId, Comparison};
use scenario::{Backend, Run, Scenario};
use testbed::native;

use super::matrix::Cell;
use crate::{failure::Failure, lab::LabArgs, output, progress::Progress};

/// What a comparison of kernels takes beside the matrix.
#[derive(Debug, Args)]
pub(super) struct KernelArgs {
    /// Kernel for the lab: a version, an era, or the path of a vmlinuz; may be given more than once
    #[arg(long, value_name = "KERNEL")]
    kernel: Vec<String>,
    /// Boot each cell of the lab twice, and fail it unless both digests are equal
    #[arg(long)]
    verify: bool,
    /// Guests of the lab at a time; as many as there are CPUs unless given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
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
    interrupted: &'a AtomicBool,
    progress: Progress,
}

/// One boot: a cell of the matrix in one round.
#[derive(Clone, Copy, Debug)]
struct Job {
    kernel: usize,
    cell: usize,
    round: u32,
}

impl KernelArgs {
    /// Whether any of them is given.
    pub(super) fn is_given(&self) -> bool {
        !self.kernel.is_empty() || self.verify || self.jobs.is_some() || self.lab.is_given()
    }

    /// Compares kernels in the lab.
    pub(super) fn run(
        &self,
        scenario: &Scenario,
        cells: &[Cell],
        repeat: u32,
        interrupted: &AtomicBool,
        progress: Progress,
    ) -> Result<(Comparison, Option<Failure>), Failure> {
        let cache = Cache::of_user().map_err(Failure::run)?;
        let lab = self.lab.lab(&cache)?;
        let named: Vec<String> = match self.kernel.as_slice() {
            [] => lab::kernels::standard().map(ToOwned::to_owned).collect(),
            named => named.to_vec(),
        };
        let kernels = self.lab.kernels(&cache, &named, progress)?;
        let scenario = Lab::complete(scenario);
        let plan = Plan {
            lab: &lab,
            kernels: &kernels,
            cells,
            scenario: &scenario,
            folder: lab::records::new_folder(&cache).map_err(Failure::run)?,
            verify: self.verify,
            interrupted,
            progress,
        };
        // Real time is shared with whatever runs at the same time; virtual time is not.
        let at_once = if lab.clock.is_deterministic() {
            self.jobs.map_or_else(
                || thread::available_parallelism().map_or(1, usize::from),
                usize::from,
            )
        } else {
            1
        };
        let results = plan.run(repeat, at_once);
        Ok(plan.compare(&results, repeat))
    }
}

impl Plan<'_> {
    /// Runs every job, `at_once` of them at a time, in rounds. What has not begun when the comparison is interrupted is
    /// left out.
    fn run(&self, repeat: u32, at_once: usize) -> BTreeMap<(usize, u32), Result<CellOutcome, String>> {
        let jobs: Vec<Job> = (1..=repeat)
            .flat_map(|round| {
                (0..self.kernels.len()).flat_map(move |kernel| {
                    (0..self.cells.len()).map(move |cell| Job { kernel, cell, round })
                })
            })
            .collect();
        let next = AtomicUsize::new(0);
        let results = Mutex::new(BTreeMap::new());
        thread::scope(|scope| {
            for _ in 0..at_once.min(jobs.len()) {
                scope.spawn(|| {
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if self.interrupted.load(Ordering::SeqCst) {
                            return;
                        }
                        let Some(result) = self.boot(*job, jobs.len()) else {
                            return;
                        };
                        results
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .insert((self.index(*job), job.round), result);
                    }
                });
            }
        });
        results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job's cell in the matrix.
    fn index(&self, job: Job) -> usize {
        job.kernel * self.cells.len() + job.cell
    }

    /// Runs one job; none if it was interrupted.
    fn boot(&self, job: Job, of: usize) -> Option<Result<CellOutcome, String>> {
        let (kernel, cell) = (self.kernels.get(job.kernel)?, self.cells.get(job.cell)?);
        let seed = self.scenario.seed.wrapping_add(u64::from(job.round - 1));
        let name = format!("{} {} {}", kernel.version, cell.workload, cell.variant);
        let number = usize::try_from(job.round - 1).unwrap_or(0) * self.kernels.len() * self.cells.len()
            + self.index(job)
            + 1;
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
        let folder = self.folder.join(format!(
            "{}-{}-{}-seed{seed}",
            kernel.version, cell.workload, cell.variant
        ));
        let first = self.once(kernel, &run, &folder);
        let result = match (&first, self.verify) {
            (Ok(outcome), true) => {
                let again = self.once(kernel, &run, &folder.with_extension("again"));
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
        fs::create_dir_all(folder).map_err(|source| LabError::Record {
            file: folder.to_owned(),
            source,
        })?;
        let extras = Extras {
            trace: false,
            era: kernel.era.is_none(),
        };
        self.lab.run(&kernel.image, run, extras, folder, self.interrupted)
    }

    fn compare(
        &self,
        results: &BTreeMap<(usize, u32), Result<CellOutcome, String>>,
        repeat: u32,
    ) -> (Comparison, Option<Failure>) {
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
        let failure = if self.interrupted.load(Ordering::SeqCst) {
            comparison.mark_partial("interrupted".to_owned());
            Some(Failure::run("interrupted: the result is partial"))
        } else {
            (failed > 0).then(|| {
                let runs = total * repeat as usize;
                Failure::run(format!("{failed} of {runs} runs failed: the result is partial"))
            })
        };
        (comparison, failure)
    }

    /// The cells of one kernel. What it is called is known once it has run.
    fn ids(
        &self,
        at: usize,
        kernel: &Kernel,
        results: &BTreeMap<(usize, u32), Result<CellOutcome, String>>,
    ) -> Vec<CellId> {
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
