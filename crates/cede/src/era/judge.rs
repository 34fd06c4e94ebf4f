//! From facts to an era. No system call in here, so every kernel can be tried on any.

use std::time::Duration;

use super::Era;
use super::facts::Facts;
use super::measure::Sample;

/// From this part of a slice on a yield counts as dear. Beside one busy thread it takes 3 to 10 us without the
/// forfeit and one slice, 700 us and more, with it (Linux 6.1 to 7.2, in part on an emulated CPU); this is half
/// way by orders of magnitude.
const DEAR: u32 = 8;

/// Without the forfeit both threads get half of the CPU; with it the yielder got 1 to 6 %.
const SMALL_SHARE: f64 = 0.2;

/// What a measurement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Yields are dear and take the yielder's share of the CPU.
    Forfeit,
    /// Yields are cheap and leave its share to the yielder.
    NoForfeit,
    /// The two witnesses contradict each other.
    Unclear,
}

/// Weighs a measurement against the slice that a yielder may forfeit.
pub(crate) fn judge(sample: &Sample, slice: Duration) -> Verdict {
    match (sample.mean() >= slice / DEAR, sample.share() < SMALL_SHARE) {
        (true, true) => Verdict::Forfeit,
        (false, false) => Verdict::NoForfeit,
        _ => Verdict::Unclear,
    }
}

/// The era, and in sentences why; `measured` is the first of them, and `verdict` what it comes to, if anything
/// was measured.
pub(crate) fn decide(facts: &Facts, verdict: Option<Verdict>, measured: String) -> (Era, Vec<String>) {
    let mut evidence = vec![measured];
    let mut because = |era, reason: String| {
        evidence.push(reason);
        era
    };
    let hint = facts.era_by_version();
    let era = if let Some(name) = &facts.bpf_scheduler {
        because(
            Era::SchedExt,
            format!("The BPF scheduler {name} runs all ordinary threads (/sys/kernel/sched_ext)."),
        )
    } else {
        match verdict {
            Some(Verdict::Forfeit) => because(
                Era::EevdfForfeit,
                "A yielder pays with its share of the CPU: the forfeit.".to_owned(),
            ),
            Some(Verdict::NoForfeit) => without_forfeit(facts, hint, because),
            Some(Verdict::Unclear) => because(
                hint,
                format!("Cost and share contradict each other; by its version the kernel is {hint}."),
            ),
            None => because(hint, format!("By its version the kernel is {hint}.")),
        }
    };
    (era, evidence)
}

/// A yield is cheap under CFS and under the first EEVDF alike; what else tells them apart?
fn without_forfeit(facts: &Facts, hint: Era, because: impl FnOnce(Era, String) -> Era) -> Era {
    const CHEAP: &str = "A yielder keeps its share: no forfeit.";
    if facts.custom_slice {
        return because(
            Era::EevdfDeadline,
            format!("{CHEAP} The kernel takes slices per thread, so it is EEVDF."),
        );
    }
    match (facts.eevdf_by_debugfs, hint) {
        (Some(true), _) => because(
            Era::EevdfDeadline,
            format!("{CHEAP} debugfs has EEVDF's base_slice_ns."),
        ),
        (Some(false), _) => because(Era::Cfs, format!("{CHEAP} debugfs has CFS's latency_ns.")),
        (None, Era::EevdfForfeit) => because(
            Era::EevdfDeadline,
            format!("{CHEAP} So it is EEVDF without it, although by its version the kernel should have it."),
        ),
        (None, hint) => because(
            hint,
            format!(
                "{CHEAP} CFS and early EEVDF cannot be told apart from here; by its version the kernel is {hint}."
            ),
        ),
    }
}

/// The measurement of [`measure`](super::measure) in a sentence.
pub(crate) fn sentence(facts: &Facts, sample: &Result<Sample, String>) -> String {
    match sample {
        Ok(sample) => format!(
            "Beside one busy thread on CPU {}, {} yields took {:.1?} each and left the yielder {:.1} % of the CPU \
             time; the default slice is {}.",
            sample.cpu,
            sample.yields,
            sample.mean(),
            100.0 * sample.share(),
            facts
                .base_slice
                .map_or_else(|| "not told".to_owned(), |slice| format!("{slice:?}")),
        ),
        Err(error) => format!("The cost of a yield could not be measured: {error}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLICE: Duration = Duration::from_micros(700);

    fn sample(mean_us: f64, share: f64) -> Sample {
        let total = Duration::from_millis(200);
        Sample {
            cpu: 0,
            yields: 1000,
            inside: Duration::from_secs_f64(mean_us * 1e-3),
            yielder_cpu: total.mul_f64(share),
            busy_cpu: total.mul_f64(1.0 - share),
        }
    }

    fn facts(version: (u32, u32, u32)) -> Facts {
        Facts {
            version: Some(version),
            base_slice: (version >= (6, 12, 0)).then_some(SLICE),
            custom_slice: version >= (6, 12, 0),
            ..Facts::default()
        }
    }

    fn decide_by(facts: &Facts, sample: &Result<Sample, String>) -> (Era, Vec<String>) {
        let verdict = sample.as_ref().ok().map(|sample| judge(sample, facts.slice()));
        decide(facts, verdict, sentence(facts, sample))
    }

    /// Means and shares as measured on these kernels, one virtual CPU, default slice 0.7 ms.
    #[test]
    fn known_kernels_are_recognised_by_behaviour() {
        let table = [
            ((6, 1, 140), 3.2, 0.50, Era::Cfs),
            ((6, 12, 57), 3.5, 0.50, Era::EevdfDeadline),
            ((6, 17, 8), 3.1, 0.50, Era::EevdfDeadline),
            ((6, 12, 69), 711.0, 0.01, Era::EevdfForfeit),
            ((6, 18, 5), 713.0, 0.01, Era::EevdfForfeit),
            ((7, 2, 9), 736.0, 0.06, Era::EevdfForfeit),
        ];
        for (version, mean_us, share, era) in table {
            assert_eq!(
                decide_by(&facts(version), &Ok(sample(mean_us, share))).0,
                era,
                "{version:?}"
            );
        }
    }

    #[test]
    fn behaviour_overrules_the_version() {
        // A distribution's 6.8 with the forfeit taken over.
        assert_eq!(
            decide_by(&facts((6, 8, 12)), &Ok(sample(1500.0, 0.02))).0,
            Era::EevdfForfeit
        );
        // A 6.18.44 that was built without it.
        assert_eq!(
            decide_by(&facts((6, 18, 44)), &Ok(sample(3.0, 0.5))).0,
            Era::EevdfDeadline
        );
    }

    #[test]
    fn debugfs_tells_cfs_from_early_eevdf() {
        for (eevdf, era) in [(true, Era::EevdfDeadline), (false, Era::Cfs)] {
            let facts = Facts {
                version: None,
                eevdf_by_debugfs: Some(eevdf),
                ..facts((6, 1, 0))
            };
            assert_eq!(decide_by(&facts, &Ok(sample(3.0, 0.5))).0, era);
        }
    }

    #[test]
    fn without_a_measurement_the_version_decides_and_the_evidence_says_so() {
        let (era, evidence) = decide_by(&facts((6, 12, 63)), &Err("not permitted".to_owned()));
        assert_eq!(era, Era::EevdfForfeit);
        assert!(
            evidence.iter().any(|line| line.contains("not permitted")),
            "{evidence:?}"
        );
        assert!(
            evidence.iter().any(|line| line.contains("version")),
            "{evidence:?}"
        );
    }

    #[test]
    fn contradicting_witnesses_leave_it_to_the_version() {
        let contradiction = sample(711.0, 0.5);
        assert_eq!(judge(&contradiction, SLICE), Verdict::Unclear);
        let (era, evidence) = decide_by(&facts((6, 6, 30)), &Ok(contradiction));
        assert_eq!(era, Era::EevdfDeadline);
        assert!(
            evidence.iter().any(|line| line.contains("contradict")),
            "{evidence:?}"
        );
    }

    #[test]
    fn a_bpf_scheduler_goes_before_all_else() {
        let facts = Facts {
            bpf_scheduler: Some("rusty".to_owned()),
            ..facts((6, 18, 44))
        };
        let (era, evidence) = decide_by(&facts, &Ok(sample(711.0, 0.01)));
        assert_eq!(era, Era::SchedExt);
        assert!(evidence.iter().any(|line| line.contains("rusty")), "{evidence:?}");
    }
}
