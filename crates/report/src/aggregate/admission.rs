use scenario::{AdmissionOutcome, Outcome, Tick};

use crate::statistics::median;

/// Medians of what the repeats say, and the ticks of the repeat whose throughput is the median, of two in the middle the
/// lower: ticks of different runs cannot be averaged. None if no repeat had admission control.
pub(super) fn admission(repeats: &[&Outcome]) -> Option<AdmissionOutcome> {
    let mut controlled: Vec<(f64, &AdmissionOutcome)> = repeats
        .iter()
        .filter_map(|repeat| Some((repeat.throughput_ops, repeat.admission.as_ref()?)))
        .collect();
    controlled.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (_, middle) = controlled.get(controlled.len().checked_sub(1)? / 2)?;
    let of = |field: fn(&AdmissionOutcome) -> f64| median(controlled.iter().map(|(_, one)| field(one)));
    Some(AdmissionOutcome {
        write_tickets_final: of(|one| one.write_tickets_final),
        write_tickets_mean: of(|one| one.write_tickets_mean),
        read_tickets_final: of(|one| one.read_tickets_final),
        active_writers_mean: of(|one| one.active_writers_mean),
        ticks: middle.ticks.iter().copied().filter(is_finite).collect(),
    })
}

fn is_finite(tick: &Tick) -> bool {
    tick.time_s.is_finite() && tick.throughput_ops.is_finite()
}

#[cfg(test)]
mod tests {
    use scenario::Decision;

    use super::*;

    fn repeat(throughput_ops: f64, write_tickets_final: f64) -> Outcome {
        let tick = |time_s| Tick {
            time_s,
            read_tickets: 8,
            write_tickets: 8,
            throughput_ops,
            decision: Decision::Hold,
        };
        Outcome {
            throughput_ops,
            admission: Some(AdmissionOutcome {
                write_tickets_final,
                ticks: vec![tick(0.1), tick(f64::NAN)],
                ..AdmissionOutcome::default()
            }),
            ..Outcome::default()
        }
    }

    #[test]
    fn numbers_are_medians_and_ticks_are_those_of_the_run_in_the_middle() {
        let repeats = [
            repeat(3.0, 10.0),
            repeat(1.0, 30.0),
            Outcome::default(),
            repeat(2.0, 20.0),
            repeat(4.0, 40.0),
        ];
        let all = admission(&repeats.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(all.write_tickets_final.to_bits(), 25.0_f64.to_bits());
        let ticks: Vec<_> = all
            .ticks
            .iter()
            .map(|tick| (tick.time_s, tick.throughput_ops))
            .collect();
        assert_eq!(ticks, [(0.1, 2.0)]);
        assert_eq!(admission(&[&Outcome::default()]), None);
        assert_eq!(admission(&[]), None);
    }
}
