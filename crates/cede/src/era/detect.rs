//! The quick probe: what [`current`](super::current) remembers.

use std::time::Duration;

use super::facts::Facts;
use super::judge::{self, Verdict};
use super::quick::{self, Seen};
use super::{Era, Finding, Kernel, Witnesses, by_version};

/// From this version on slices end when they are over: HRTICK became the default on machines that can re-arm the
/// timer cheaply (`CONFIG_HRTIMER_REARM_DEFERRED`, in the sources of 7.1 and not in those of 7.0).
const EXACT_SLICES: (u32, u32, u32) = (7, 1, 0);

/// Finds out what `sched_yield(2)` does on the running kernel, anew and quickly.
///
/// Two threads of its own share a CPU, preferably not the caller's, for 10 ms as a rule and for 20 ms at most: one
/// yields, and the other does not. The forfeit shows in the yielder's account of its CPU time
/// (`/proc/thread-self/sched`), or where there is no such account in its share of the CPU. The caller waits and its
/// settings are not touched; on a CPU that has other work to do, the two may have to wait for it in turn. Needs no
/// privilege, and cannot fail: what it could not find out, [`Kernel::evidence`] says.
///
/// ```
/// use cede::era::{Witnesses, detect};
///
/// let kernel = detect(Witnesses::ALL.without_version());
/// println!("forfeits: {}, measured for {:?}", kernel.forfeits, kernel.measured_for);
/// ```
#[must_use]
pub fn detect(witnesses: Witnesses) -> Kernel {
    let mut facts = Facts::read();
    if !witnesses.version {
        facts.version = None;
    }
    let seen = if facts.bpf_scheduler.is_some() {
        Err("Nothing was measured: it would be about the BPF scheduler.".to_owned())
    } else {
        quick::measure(witnesses.accounts).map_err(|error| format!("Nothing could be measured: {error}."))
    };
    conclude(facts, &seen)
}

/// From what was seen to what is so.
fn conclude(facts: Facts, seen: &Result<Seen, String>) -> Kernel {
    let seen_or_not = seen.as_ref().ok();
    let facts = facts.with_slices(
        seen_or_not.and_then(|seen| seen.base_slice),
        seen_or_not.is_some_and(|seen| seen.own_slice.is_some()),
    );
    let forfeits = seen_or_not.and_then(|seen| seen.forfeits);
    let verdict = forfeits.map(|forfeits| {
        if forfeits {
            Verdict::Forfeit
        } else {
            Verdict::NoForfeit
        }
    });
    let measured = seen.as_ref().map_or_else(Clone::clone, Seen::sentence);
    let (era, mut evidence) = judge::decide(&facts, verdict, measured);
    // Versions tell what the fair scheduler does, not what a BPF scheduler does.
    let hint = facts.version.filter(|_| era != Era::SchedExt);
    let exact_slices = Finding::new(
        seen_or_not.and_then(|seen| seen.exact_slices),
        hint.map(|version| version >= EXACT_SLICES),
    );
    evidence.push(format!("Slices end when they are over: {exact_slices}."));
    Kernel {
        era,
        forfeits: Finding::new(
            forfeits,
            hint.and_then(|(major, minor, patch)| forfeits_in(by_version(major, minor, patch))),
        ),
        base_slice: facts.base_slice,
        custom_slice: facts.custom_slice,
        exact_slices,
        measured_for: seen_or_not.map_or(Duration::ZERO, |seen| seen.elapsed),
        evidence,
    }
}

/// Whether kernels of an era forfeit.
const fn forfeits_in(era: Era) -> Option<bool> {
    match era {
        Era::Cfs | Era::EevdfDeadline => Some(false),
        Era::EevdfForfeit => Some(true),
        Era::SchedExt | Era::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::era::quick::Tally;

    fn facts(version: Option<(u32, u32, u32)>) -> Facts {
        Facts {
            version,
            ..Facts::default()
        }
    }

    fn seen(forfeits: Option<bool>, exact_slices: Option<bool>) -> Seen {
        Seen {
            base_slice: None,
            own_slice: None,
            tally: Tally::default(),
            apart: false,
            forfeits,
            exact_slices,
            elapsed: Duration::from_millis(5),
        }
    }

    #[test]
    fn what_was_seen_is_so_whatever_the_version() {
        for version in [None, Some((6, 1, 0)), Some((6, 8, 12)), Some((7, 3, 4))] {
            for (forfeits, exact) in [(true, true), (true, false), (false, false)] {
                let kernel = conclude(facts(version), &Ok(seen(Some(forfeits), Some(exact))));
                assert_eq!(kernel.forfeits, Finding::Measured(forfeits));
                assert_eq!(kernel.exact_slices, Finding::Measured(exact));
                assert_eq!(kernel.era == Era::EevdfForfeit, forfeits, "{kernel:?}");
            }
        }
    }

    /// A container without affinity, threads or the scheduler's calls.
    #[test]
    fn where_nothing_can_be_seen_the_version_decides_and_the_evidence_says_why() {
        let apart = Ok(Seen {
            apart: true,
            ..seen(None, None)
        });
        let refused = Err("Nothing could be measured: not permitted.".to_owned());
        for (nothing, why) in [(apart, "cannot be bound"), (refused, "not permitted")] {
            for (version, forfeits, exact) in [
                ((6, 1, 192), false, false),
                ((6, 12, 57), false, false),
                ((6, 12, 118), true, false),
                ((6, 18, 15), true, false),
                ((7, 0, 13), true, false),
                ((7, 3, 4), true, true),
            ] {
                let kernel = conclude(facts(Some(version)), &nothing);
                assert_eq!(kernel.forfeits, Finding::ByVersion(forfeits), "{version:?}");
                assert_eq!(kernel.exact_slices, Finding::ByVersion(exact), "{version:?}");
                let evidence = kernel.evidence.join(" ");
                assert!(
                    evidence.contains(why) && evidence.contains("version"),
                    "{evidence}"
                );
            }
            let kernel = conclude(facts(None), &nothing);
            assert_eq!(kernel.forfeits, Finding::Unknown);
            assert_eq!(kernel.era, Era::Unknown);
        }
    }

    #[test]
    fn under_a_bpf_scheduler_nothing_is_said_about_yields() {
        let facts = Facts {
            bpf_scheduler: Some("rusty".to_owned()),
            ..facts(Some((7, 3, 4)))
        };
        let kernel = conclude(facts, &Err("Nothing was measured.".to_owned()));
        assert_eq!(kernel.era, Era::SchedExt);
        assert_eq!(kernel.forfeits, Finding::Unknown);
        assert_eq!(kernel.exact_slices, Finding::Unknown);
    }
}
