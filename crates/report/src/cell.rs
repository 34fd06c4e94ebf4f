use scenario::{Backend, Outcome, Variant, Workload};

use crate::{Metric, Ratio, aggregate::aggregate};

/// Which cell of the matrix: where it ran and what ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellId {
    /// Where it ran.
    pub backend: Backend,
    /// Upstream version, x.y.z, of the kernel.
    pub kernel: String,
    /// What `uname -r` prints there.
    pub release: String,
    /// What `sched_yield` does there: `cfs`, `eevdf-deadline`, `eevdf-forfeit`, `sched-ext` or `unknown`.
    pub era: String,
    /// The mix of operations.
    pub workload: Workload,
    /// The way to give up the CPU.
    pub variant: Variant,
}

impl CellId {
    /// What tells one kernel of the matrix from another.
    pub(crate) fn place(&self) -> (Backend, &str, &str, &str) {
        (self.backend, &self.kernel, &self.release, &self.era)
    }
}

/// A cell of the matrix with at least one finished repeat.
#[derive(Clone, Debug)]
pub struct Cell {
    id: CellId,
    outcome: Outcome,
    rounds: Vec<Option<Outcome>>,
    ratios: Vec<(Metric, Ratio)>,
    reference: bool,
}

impl Cell {
    /// The cell `id` with what came out of each of its `rounds`, against the rounds of its reference.
    ///
    /// None if no round finished.
    pub(crate) fn new(
        id: CellId,
        rounds: &[Option<Outcome>],
        reference_rounds: &[Option<Outcome>],
        reference: bool,
    ) -> Option<Self> {
        let outcome = aggregate(&rounds.iter().flatten().collect::<Vec<_>>())?;
        let mut cell = Self {
            id,
            outcome,
            rounds: rounds.to_vec(),
            ratios: Vec::new(),
            reference,
        };
        cell.ratios = Metric::all()
            .filter_map(|metric| Some((metric, cell.ratio_to(metric, reference_rounds)?)))
            .collect();
        Some(cell)
    }

    /// Which cell this is.
    #[must_use]
    pub fn id(&self) -> &CellId {
        &self.id
    }

    /// Medians and sums over the cell's repeats.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Whether the other cells of the workload are compared with this one.
    #[must_use]
    pub fn is_reference(&self) -> bool {
        self.reference
    }

    /// The repeats that finished, in order.
    pub fn repeats(&self) -> impl Iterator<Item = &Outcome> {
        self.rounds.iter().flatten()
    }

    /// How `metric` relates to that of the reference; none if they share no round that has both.
    #[must_use]
    pub fn ratio(&self, metric: Metric) -> Option<&Ratio> {
        self.ratios
            .iter()
            .find(|(candidate, _)| *candidate == metric)
            .map(|(_, ratio)| ratio)
    }

    /// Every ratio to the reference, in the order of [`Metric::all`].
    pub(crate) fn ratios(&self) -> &[(Metric, Ratio)] {
        &self.ratios
    }

    /// How `metric` relates to that of `other`, whichever cell that is.
    pub(crate) fn ratio_against(&self, metric: Metric, other: &Self) -> Option<Ratio> {
        self.ratio_to(metric, &other.rounds)
    }

    fn ratio_to(&self, metric: Metric, reference: &[Option<Outcome>]) -> Option<Ratio> {
        Ratio::of_rounds(self.rounds.iter().zip(reference).filter_map(|(own, reference)| {
            Some((metric.of(own.as_ref()?)?, metric.of(reference.as_ref()?)?))
        }))
    }
}
