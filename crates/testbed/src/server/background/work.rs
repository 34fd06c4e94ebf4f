use std::{hint::black_box, time::Duration};

use rustix::time::{ClockId, clock_gettime};
use scenario::Auto;

/// Steps of a round: a rotation and a multiplication each, some 16 ns in all on a CPU of 3 GHz.
const STEPS: u32 = 16;
/// An odd number with its bits mixed (2^64 divided by the golden ratio), so that the state never comes to rest.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// Rounds of one calibration run: some 80 us, short enough that most are not interrupted, and long beside the reading of the
/// clock.
const CALIBRATION_ROUNDS: u64 = 5_000;
/// Calibration runs, of which the fastest counts: interrupts and cold caches only slow a run down.
const CALIBRATION_RUNS: u32 = 400;

/// A loop that burns a set amount of CPU and touches no memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    rounds_per_us: f64,
}

impl Work {
    /// Work at a given speed, in rounds of the loop per us of CPU, or at the speed that this CPU is measured to have.
    #[must_use]
    pub fn new(rounds_per_us: Auto<f64>) -> Self {
        Self {
            rounds_per_us: rounds_per_us.unwrap_or_else(calibrate),
        }
    }

    /// Speed in rounds of the loop per us.
    #[must_use]
    pub fn rounds_per_us(&self) -> f64 {
        self.rounds_per_us
    }

    /// Burns `us` of CPU.
    pub fn run(&self, us: f64) {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count, and `as` saturates"
        )]
        let rounds = (us * self.rounds_per_us) as u64;
        spin(rounds);
    }
}

/// Runs in registers alone. Each step needs the one before, so that no compiler can shorten it, and a round is long enough
/// that none unrolls it further: in the lab, whose time is a count of instructions, it is a whole number of them.
fn spin(rounds: u64) {
    let mut state = rounds;
    for _ in 0..rounds {
        for _ in 0..STEPS {
            state = state.rotate_left(7).wrapping_mul(FACTOR);
        }
    }
    black_box(state);
}

fn calibrate() -> f64 {
    let fastest = (0..CALIBRATION_RUNS)
        .map(|_| {
            let start = thread_cpu();
            spin(CALIBRATION_ROUNDS);
            thread_cpu().saturating_sub(start)
        })
        .min()
        .unwrap_or_default();
    CALIBRATION_ROUNDS as f64 / (fastest.as_secs_f64() * 1e6).max(f64::MIN_POSITIVE)
}

/// CPU time of the calling thread.
pub(crate) fn thread_cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibrated_work_costs_about_the_cpu_it_says() {
        let work = Work::new(Auto::Auto);
        // CPU time, not wall-clock time; the bounds are wide for other users of the core's caches and clock.
        let ratios: Vec<f64> = (0..20)
            .map(|_| {
                let start = thread_cpu();
                work.run(2_000.0);
                thread_cpu().saturating_sub(start).as_secs_f64() * 1e6 / 2_000.0
            })
            .collect();
        let fastest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(
            (0.5..2.0).contains(&fastest),
            "2 ms of work cost {fastest} times as much CPU"
        );
    }
}
