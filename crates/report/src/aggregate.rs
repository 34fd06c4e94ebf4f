//! One outcome out of the repeats of a cell.

mod admission;
mod off_cpu;

use std::collections::BTreeMap;

use scenario::{
    Background, ContextSwitches, CpuUse, Distribution, Operation, OperationOutcome, Outcome, Yields,
};
use sha2::{Digest, Sha256};

use crate::{statistics::median, unique::unique};

/// The outcome of a cell: medians of its repeats' rates, means and quantiles, sums of their counts, and every
/// note once; traces add up. None of no repeats.
///
/// Whatever is not a finite number in a repeat does not count, so that the result is finite throughout.
pub(crate) fn aggregate(repeats: &[&Outcome]) -> Option<Outcome> {
    if repeats.is_empty() {
        return None;
    }
    let of = |field: fn(&Outcome) -> f64| median(repeats.iter().map(|repeat| field(repeat)));
    Some(Outcome {
        seconds: of(|o| o.seconds),
        throughput_ops: of(|o| o.throughput_ops),
        operations: operations(repeats),
        yields: Yields {
            calls_per_op: of(|o| o.yields.calls_per_op),
            switched_per_op: of(|o| o.yields.switched_per_op),
            mean_us: of(|o| o.yields.mean_us),
            p50_us: of(|o| o.yields.p50_us),
            p99_us: of(|o| o.yields.p99_us),
            parks_per_op: of(|o| o.yields.parks_per_op),
            park_share: of(|o| o.yields.park_share),
            off_cpu_share: of(|o| o.yields.off_cpu_share),
        },
        background: Background {
            cpu_share: of(|o| o.background.cpu_share),
            undone_us: of(|o| o.background.undone_us),
            done_by_updates_us: of(|o| o.background.done_by_updates_us),
        },
        context_switches: ContextSwitches {
            voluntary_per_op: of(|o| o.context_switches.voluntary_per_op),
            involuntary_per_op: of(|o| o.context_switches.involuntary_per_op),
        },
        cpu: CpuUse {
            server_us_per_op: of(|o| o.cpu.server_us_per_op),
            client_us_per_op: of(|o| o.cpu.client_us_per_op),
            server_share: of(|o| o.cpu.server_share),
        },
        admission: admission::admission(repeats),
        errors: sum(repeats.iter().map(|repeat| repeat.errors)),
        off_cpu: off_cpu::off_cpu(repeats),
        digest: digest(repeats),
        notes: unique(repeats.iter().flat_map(|repeat| &repeat.notes).cloned()),
    })
}

/// That of the only repeat, or one over those of all; none unless each has one.
fn digest(repeats: &[&Outcome]) -> Option<String> {
    let digests: Vec<&str> = repeats
        .iter()
        .map(|repeat| repeat.digest.as_deref())
        .collect::<Option<_>>()?;
    match digests.as_slice() {
        [only] => Some((*only).to_owned()),
        several => {
            let mut hash = Sha256::new();
            for digest in several {
                hash.update(digest);
                hash.update("\n");
            }
            Some(format!("{:x}", hash.finalize()))
        }
    }
}

/// An operation that some repeats happened not to draw is described by the repeats that did.
fn operations(repeats: &[&Outcome]) -> BTreeMap<Operation, OperationOutcome> {
    let occurred = |operation| {
        let outcomes: Vec<_> = repeats
            .iter()
            .filter_map(|repeat| repeat.operations.get(&operation))
            .filter(|outcome| outcome.count > 0)
            .collect();
        (!outcomes.is_empty()).then(|| (operation, merge(&outcomes)))
    };
    Operation::ALL.iter().copied().filter_map(occurred).collect()
}

fn merge(repeats: &[&OperationOutcome]) -> OperationOutcome {
    let of = |field: fn(&OperationOutcome) -> f64| median(repeats.iter().map(|repeat| field(repeat)));
    OperationOutcome {
        count: sum(repeats.iter().map(|repeat| repeat.count)),
        mean_us: of(|o| o.mean_us),
        p50_us: of(|o| o.p50_us),
        p90_us: of(|o| o.p90_us),
        p99_us: of(|o| o.p99_us),
        p999_us: of(|o| o.p999_us),
        max_us: of(|o| o.max_us),
        distribution: distribution(repeats),
    }
}

/// Repeats share their bucket limits where they share a histogram's layout; others simply interleave.
fn distribution(repeats: &[&OperationOutcome]) -> Distribution {
    let mut buckets: Vec<(f64, u64)> = repeats
        .iter()
        .flat_map(|repeat| repeat.distribution.0.iter().copied())
        .filter(|(latency_us, _)| latency_us.is_finite())
        .collect();
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    buckets.dedup_by(|next, kept| {
        let same = next.0.total_cmp(&kept.0).is_eq();
        if same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        same
    });
    Distribution(buckets)
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scenario::{AdmissionOutcome, Decision, Tick};

    use super::*;

    fn admission() -> impl Strategy<Value = AdmissionOutcome> {
        let tick = (0.0..1e3, 1_u32..200, 1_u32..200, 0.0..1e6).prop_map(
            |(time_s, read_tickets, write_tickets, throughput_ops)| Tick {
                time_s,
                read_tickets,
                write_tickets,
                throughput_ops,
                decision: Decision::Hold,
            },
        );
        let ticks = prop::collection::vec(tick, 0..5);
        (prop::array::uniform4(0.0..1e3), ticks).prop_map(|(numbers, ticks)| {
            let [
                write_tickets_final,
                write_tickets_mean,
                read_tickets_final,
                active_writers_mean,
            ] = numbers;
            AdmissionOutcome {
                write_tickets_final,
                write_tickets_mean,
                read_tickets_final,
                active_writers_mean,
                ticks,
            }
        })
    }

    fn operation() -> impl Strategy<Value = OperationOutcome> {
        let buckets = prop::collection::btree_map(0_u32..100_000, 1_u64..1000, 0..20);
        (1..u64::MAX, prop::array::uniform6(0.0..1e9), buckets).prop_map(
            |(count, [mean_us, p50_us, p90_us, p99_us, p999_us, max_us], buckets)| OperationOutcome {
                count,
                mean_us,
                p50_us,
                p90_us,
                p99_us,
                p999_us,
                max_us,
                distribution: Distribution(
                    buckets
                        .into_iter()
                        .map(|(us, count)| (f64::from(us), count))
                        .collect(),
                ),
            },
        )
    }

    fn outcome() -> impl Strategy<Value = Outcome> {
        let operations =
            prop::collection::btree_map(prop::sample::select(Operation::ALL), operation(), 0..=2);
        let numbers = prop::collection::vec(0.0..1e9, 18);
        let parts = (numbers, operations, prop::option::of(admission()), any::<u64>());
        parts.prop_map(|(n, operations, admission, errors)| Outcome {
            seconds: n[0],
            throughput_ops: n[1],
            operations,
            yields: Yields {
                calls_per_op: n[2],
                switched_per_op: n[3],
                mean_us: n[4],
                p50_us: n[5],
                p99_us: n[6],
                parks_per_op: n[7],
                park_share: n[8],
                off_cpu_share: n[9],
            },
            background: Background {
                cpu_share: n[10],
                undone_us: n[11],
                done_by_updates_us: n[12],
            },
            context_switches: ContextSwitches {
                voluntary_per_op: n[13],
                involuntary_per_op: n[14],
            },
            cpu: CpuUse {
                server_us_per_op: n[15],
                client_us_per_op: n[16],
                server_share: n[17],
            },
            admission,
            errors,
            off_cpu: None,
            digest: None,
            notes: vec!["shared CPUs".to_owned()],
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn one_repeat_is_that_repeat(outcome in outcome()) {
            prop_assert_eq!(aggregate(&[&outcome]).unwrap(), outcome);
        }

        #[test]
        fn order_does_not_matter(a in outcome(), b in outcome(), c in outcome()) {
            prop_assert_eq!(aggregate(&[&a, &b, &c]), aggregate(&[&c, &a, &b]));
        }
    }

    #[test]
    fn rates_are_medians_and_counts_are_sums() {
        let repeat = |throughput_ops, count: u64, p99_us| Outcome {
            throughput_ops,
            errors: 1,
            digest: Some(count.to_string()),
            operations: BTreeMap::from([(
                Operation::Read,
                OperationOutcome {
                    count,
                    p99_us,
                    distribution: Distribution(vec![(10.0, count), (20.0 + p99_us, 1)]),
                    ..OperationOutcome::default()
                },
            )]),
            ..Outcome::default()
        };
        let repeats = [repeat(5.0, 10, 3.0), repeat(1.0, 20, 1.0), repeat(2.0, 30, 2.0)];
        let all = aggregate(&repeats.iter().collect::<Vec<_>>()).unwrap();
        let read = &all.operations[&Operation::Read];
        assert_eq!((all.throughput_ops, read.p99_us), (2.0, 2.0));
        assert_eq!((all.errors, read.count), (3, 60));
        let digest = all.digest.unwrap();
        assert!(digest.len() == 64 && !["10", "20", "30"].contains(&digest.as_str()));
        assert_eq!(read.distribution.0, [(10.0, 60), (21.0, 1), (22.0, 1), (23.0, 1)]);
    }

    #[test]
    fn an_operation_without_completions_is_absent() {
        let repeat = Outcome {
            operations: BTreeMap::from([(Operation::Update, OperationOutcome::default())]),
            ..Outcome::default()
        };
        assert!(aggregate(&[&repeat]).unwrap().operations.is_empty());
    }
}
