use std::collections::BTreeMap;

use scenario::{Cause, OffCpu, OffTime, Outcome, ThreadKind};

/// The traces of a cell's repeats as one: sums of times and counts, so that a share is that of all traced time, and
/// the most connections that a repeat had. None if no repeat was traced.
///
/// The threads are those of all repeats, one after the other: each repeat has a server of its own, and a number can
/// occur again.
pub(super) fn off_cpu(repeats: &[&Outcome]) -> Option<OffCpu> {
    let mut traced = repeats
        .iter()
        .filter_map(|repeat| repeat.off_cpu.as_ref())
        .peekable();
    traced.peek()?;
    let mut all = OffCpu::default();
    let mut by_cause = BTreeMap::<Cause, OffTime>::new();
    let mut ran_meanwhile = BTreeMap::<ThreadKind, f64>::new();
    for one in traced {
        grow(&mut all.window_us, one.window_us);
        grow(&mut all.on_cpu_us, one.on_cpu_us);
        all.lost_events = all.lost_events.saturating_add(one.lost_events);
        all.connections = all.connections.max(one.connections);
        for (cause, time) in &one.by_cause {
            let sum = by_cause.entry(*cause).or_default();
            sum.times = sum.times.saturating_add(time.times);
            grow(&mut sum.us, time.us);
            grow(&mut sum.runnable_us, time.runnable_us);
        }
        for (kind, us) in &one.ran_meanwhile {
            grow(ran_meanwhile.entry(*kind).or_default(), *us);
        }
        all.threads.extend(one.threads.iter().cloned());
    }
    all.by_cause = by_cause;
    all.ran_meanwhile = ran_meanwhile.into_iter().collect();
    all.ran_meanwhile.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    Some(all)
}

/// Adds what is a number, and stays one.
fn grow(sum: &mut f64, by: f64) {
    if by.is_finite() {
        *sum = (*sum + by).clamp(f64::MIN, f64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traced(yield_us: f64, patrol_us: f64, connections: u64) -> Outcome {
        let time = OffTime {
            times: 2,
            us: yield_us,
            runnable_us: yield_us,
        };
        Outcome {
            off_cpu: Some(OffCpu {
                window_us: 100.0,
                lost_events: 1,
                connections,
                on_cpu_us: 10.0,
                by_cause: [(Cause::Yield, time)].into(),
                ran_meanwhile: vec![(ThreadKind::Patrol, patrol_us), (ThreadKind::Client, 5.0)],
                threads: Vec::new(),
            }),
            ..Outcome::default()
        }
    }

    #[test]
    fn repeats_add_up() {
        let repeats = [traced(80.0, 4.0, 8), Outcome::default(), traced(90.0, 0.0, 7)];
        let all = off_cpu(&repeats.iter().collect::<Vec<_>>()).unwrap();
        let time = all.by_cause[&Cause::Yield];
        assert_eq!((time.times, time.us, time.runnable_us), (4, 170.0, 170.0));
        assert_eq!((all.window_us, all.on_cpu_us), (200.0, 20.0));
        assert_eq!((all.lost_events, all.connections), (2, 8));
        assert_eq!(
            all.ran_meanwhile,
            [(ThreadKind::Client, 10.0), (ThreadKind::Patrol, 4.0)]
        );
        assert_eq!(off_cpu(&[&Outcome::default()]), None);
    }
}
