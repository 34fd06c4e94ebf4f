//! What `sched_yield(2)` does on this kernel.
//!
//! | era | kernels | a yield beside one thread that does not yield |
//! | --- | --- | --- |
//! | [`Era::Cfs`] | before 6.6 | lets one other thread run, charges nothing: microseconds |
//! | [`Era::EevdfDeadline`] | 6.6 to 6.12.62, 6.13 to 6.17.12, 6.18.0 and .1 | moves the yielder's deadline only: microseconds on average, with a long tail |
//! | [`Era::EevdfForfeit`] | 6.12.63 on, 6.17.13, 6.18.2 on, 6.19 and later | charges the rest of the slice: about a slice, 0.7 to 2.8 ms |
//! | [`Era::SchedExt`] | any, with a BPF scheduler loaded | up to that scheduler |
//!
//! The forfeit came with commit 79104becf42b ("sched/fair: Forfeit vruntime on yield", first in 6.19) and was
//! taken into the stable series 6.12 and 6.18, and by distributions into others. So both probes go by what they
//! see the kernel do, and by [`by_version`] only where nothing can be seen:
//!
//! * [`current`] and [`try_current`] look once, for at most 20 ms, and remember: what a server goes by.
//! * [`probe`] takes ten times as long and says what a yield costs: what a person wants to know.

mod cache;
mod detect;
mod facts;
mod judge;
mod kernel;
mod measure;
mod quick;
mod version;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

pub use self::cache::{current, try_current};
pub use self::detect::detect;
use self::facts::Facts;
pub use self::kernel::{Finding, Kernel, Witnesses};
pub use self::version::by_version;

/// What `sched_yield(2)` does on a kernel; the [module](self) has the table.
///
/// ```
/// use cede::era::Era;
///
/// assert_eq!("eevdf-forfeit".parse(), Ok(Era::EevdfForfeit));
/// assert_eq!(Era::Cfs.to_string(), "cfs");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Era {
    /// The Completely Fair Scheduler: the yielder is passed over once.
    Cfs,
    /// EEVDF, where a yield moves the deadline by one slice and leaves vruntime alone.
    EevdfDeadline,
    /// EEVDF, where a yield moves vruntime to the end of the slice.
    EevdfForfeit,
    /// A BPF scheduler runs the ordinary threads.
    SchedExt,
    /// None of the above could be established.
    Unknown,
}

impl Era {
    /// All eras, the unknown one last.
    const ALL: [Self; 5] = [
        Self::Cfs,
        Self::EevdfDeadline,
        Self::EevdfForfeit,
        Self::SchedExt,
        Self::Unknown,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Cfs => "cfs",
            Self::EevdfDeadline => "eevdf-deadline",
            Self::EevdfForfeit => "eevdf-forfeit",
            Self::SchedExt => "sched-ext",
            Self::Unknown => "unknown",
        }
    }
}

/// The era's name on command lines and in reports.
impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads what `Display` writes.
impl FromStr for Era {
    type Err = ParseEraError;

    fn from_str(name: &str) -> Result<Self, ParseEraError> {
        Self::ALL
            .into_iter()
            .find(|era| era.name() == name)
            .ok_or(ParseEraError(()))
    }
}

/// A text is not the name of an [`Era`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseEraError(());

impl fmt::Display for ParseEraError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected one of cfs, eevdf-deadline, eevdf-forfeit, sched-ext, unknown")
    }
}

impl std::error::Error for ParseEraError {}

/// What [`probe`] found out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Probe {
    /// What `sched_yield(2)` does here.
    pub era: Era,
    /// Mean time of a yield beside one busy thread on the same CPU. Zero if it could not be measured.
    pub yield_cost: Duration,
    /// How many yields that is the mean of; 0 if it could not be measured.
    pub yields: u64,
    /// The part of the CPU time of both threads that the yielding one got, 0 to 1; a fair half before the
    /// forfeit, next to nothing after it. Zero if it could not be measured.
    pub share: f64,
    /// The slice of a thread that asked for none, where the kernel tells it.
    pub base_slice: Option<Duration>,
    /// Whether the kernel takes a slice per thread, as [`Policy::Capped`](crate::Policy::Capped) needs it.
    pub custom_slice: bool,
    /// The kernel's release as `uname -r` has it.
    pub release: String,
    /// The upstream version x.y.z, which distributions often hide in the release.
    pub version: Option<(u32, u32, u32)>,
    /// What the version alone suggests.
    pub era_by_version: Era,
    /// How `era` was decided, one sentence each; including what could not be done, and why.
    pub evidence: Vec<String>,
}

/// Finds out what `sched_yield(2)` does on the running kernel.
///
/// Takes about 0.2 s, and less than 2 s in any case. Meanwhile two threads of its own keep one CPU busy,
/// preferably not the caller's; the caller sleeps, and its settings are not touched. Needs no privilege, and
/// cannot fail: what it could not find out, [`Probe::evidence`] says.
///
/// ```no_run
/// let probe = cede::era::probe();
/// println!("Linux {}: {}, {:?} per yield", probe.release, probe.era, probe.yield_cost);
/// for line in &probe.evidence {
///     println!("  {line}");
/// }
/// ```
#[must_use]
pub fn probe() -> Probe {
    let (told, custom_slice) = facts::slices();
    let facts = Facts::read().with_slices(told, custom_slice);
    let sample = facts::measure_clearly(facts.slice());
    let verdict = sample
        .as_ref()
        .ok()
        .map(|sample| judge::judge(sample, facts.slice()));
    let (era, evidence) = judge::decide(&facts, verdict, judge::sentence(&facts, &sample));
    let (yield_cost, yields, share) = match &sample {
        Ok(sample) => (sample.mean(), sample.yields, sample.share()),
        Err(_) => (Duration::ZERO, 0, 0.0),
    };
    Probe {
        era,
        yield_cost,
        yields,
        share,
        base_slice: facts.base_slice,
        custom_slice: facts.custom_slice,
        era_by_version: facts.era_by_version(),
        version: facts.version,
        release: facts.release,
        evidence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_eras() {
        for era in Era::ALL {
            assert_eq!(era.name().parse(), Ok(era));
        }
        let error = "eevdf".parse::<Era>().unwrap_err().to_string();
        assert!(Era::ALL.iter().all(|era| error.contains(era.name())), "{error}");
    }

    /// Distributions add the forfeit to kernels whose version does not have it, so a measured forfeit may
    /// contradict the version; nobody takes it out again, and CFS never had it.
    #[test]
    #[cfg(target_os = "linux")]
    fn the_probe_agrees_with_the_version_where_that_is_conclusive() {
        let probe = probe();
        assert!(!probe.release.is_empty());
        assert!(!probe.evidence.is_empty());
        if probe.era == Era::SchedExt {
            return;
        }
        match probe.era_by_version {
            Era::EevdfForfeit => assert_eq!(probe.era, Era::EevdfForfeit, "{probe:#?}"),
            Era::Cfs => assert_ne!(probe.era, Era::EevdfForfeit, "{probe:#?}"),
            Era::EevdfDeadline => assert_ne!(probe.era, Era::Cfs, "{probe:#?}"),
            _ => {}
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_probe_leaves_its_caller_alone() {
        let before = (
            crate::sys::sched_attr().unwrap(),
            crate::sys::allowed_cpus().unwrap(),
        );
        let _ = probe();
        assert_eq!(
            (
                crate::sys::sched_attr().unwrap(),
                crate::sys::allowed_cpus().unwrap()
            ),
            before
        );
    }
}
