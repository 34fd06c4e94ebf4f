use scenario::{AdmissionOutcome, Tick};

use super::ratio;
use crate::server::{CedeStatus, admission::AdmissionStatus};

/// What admission control did between two readings of the server's status; none where there was none.
pub(super) fn admission(before: &CedeStatus, after: &CedeStatus) -> Option<AdmissionOutcome> {
    let (first, last) = (before.admission.as_ref()?, after.admission.as_ref()?);
    let start_s = seconds(before.uptime_nanos);
    let length_s = seconds(after.uptime_nanos) - start_s;
    let ticks = ticks_within(last, start_s, length_s);
    // What a write has held since before the first reading counts whole, and what one still holds not at all: the two
    // make up for each other.
    let held = last.write_held_nanos.saturating_sub(first.write_held_nanos);
    Some(AdmissionOutcome {
        write_tickets_final: last.write_tickets.into(),
        write_tickets_mean: mean_write_tickets(first.write_tickets, &ticks, length_s),
        read_tickets_final: last.read_tickets.into(),
        active_writers_mean: ratio(seconds(held), length_s),
        ticks,
    })
}

/// The ticks of the measured part, with their time in it.
fn ticks_within(status: &AdmissionStatus, start_s: f64, length_s: f64) -> Vec<Tick> {
    let shifted = status.ticks.iter().map(|tick| Tick {
        time_s: tick.time_s - start_s,
        ..*tick
    });
    shifted
        .filter(|tick| (0.0..=length_s).contains(&tick.time_s))
        .collect()
}

/// The size of the pool for writes over time: `first` until the first tick, and what each tick made of it until the next.
fn mean_write_tickets(first: u32, ticks: &[Tick], length_s: f64) -> f64 {
    let changes = ticks.iter().map(|tick| (tick.time_s, tick.write_tickets));
    let (mut sum, mut since_s, mut size) = (0.0, 0.0, first);
    for (time_s, next) in changes.chain([(length_s, first)]) {
        sum += f64::from(size) * (time_s - since_s);
        (since_s, size) = (time_s, next);
    }
    ratio(sum, length_s)
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use scenario::Decision;

    use super::*;

    fn tick(time_s: f64, write_tickets: u32) -> Tick {
        Tick {
            time_s,
            read_tickets: 4,
            write_tickets,
            throughput_ops: 10.0,
            decision: Decision::Hold,
        }
    }

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 1e-9
    }

    #[test]
    fn tickets_are_averaged_over_time() {
        // 8 for 1 s, 16 for 2 s, 4 for 1 s.
        let ticks = [tick(1.0, 16), tick(3.0, 4)];
        assert!(close(mean_write_tickets(8, &ticks, 4.0), 11.0));
        assert!(close(mean_write_tickets(8, &[], 4.0), 8.0), "a fixed pool");
        assert!(close(mean_write_tickets(8, &[], 0.0), 0.0), "no time");
    }

    #[test]
    fn ticks_outside_of_the_measured_part_are_left_out() {
        let status = AdmissionStatus {
            ticks: [1.9, 2.0, 2.5, 4.0, 4.1].map(|time_s| tick(time_s, 4)).to_vec(),
            ..AdmissionStatus::default()
        };
        let times = ticks_within(&status, 2.0, 2.0)
            .into_iter()
            .map(|tick| tick.time_s);
        assert!(times.eq([0.0, 0.5, 2.0]));
    }
}
