//! `patience`: do not begin while somebody has waited too long.

use std::time::Duration;

use crate::decision::Decision;
use crate::observation::{Observation, times};

/// How long the oldest request may take before others hold back, in mean times in the server. The mean follows the
/// load, so this does: below 2 it is exceeded too often to leave the share of the CPU alone, from 4 on it hardly ever is.
/// But it is a slice at least: among threads that take turns by slices, such a wait is what happens to everybody.
const PATIENCE: f64 = 2.25;

/// A request passes if it takes at most this part of the CPU time of the one that it would be held back for: the
/// oldest hardly notices, and short ones gain most from not waiting.
const SHORT: u32 = 2;

/// One that takes less than this passes as well: holding it back costs two switches and two calls, some 10 us, and would
/// give the oldest next to nothing.
const NOT_WORTH_IT: Duration = Duration::from_micros(100);

/// But when the oldest has waited for so many times the patience, even that is too much. With more CPUs a short request
/// takes the less from the oldest: this is for each of them.
const PATIENCES: f64 = 1.3;

pub(crate) fn at_begin(seen: &Observation) -> Decision {
    let Some(oldest) = seen.oldest else {
        return Decision::Stay;
    };
    // Who has waited as long as that itself does not wait any longer.
    let limit = times(patience(seen), PATIENCES * seen.cpus.max(1.0));
    let passes = is_short(seen.cost, oldest.cost) && oldest.age <= limit;
    if oldest.age > patience(seen) && seen.age <= patience(seen) && !passes {
        Decision::Park
    } else {
        Decision::Stay
    }
}

fn patience(seen: &Observation) -> Duration {
    times(seen.mean, PATIENCE).max(seen.slice)
}

/// Whether a request is short, against the oldest or altogether.
pub(crate) fn is_short(own: Duration, oldest: Duration) -> bool {
    !own.is_zero() && (own.saturating_mul(SHORT) <= oldest || own < NOT_WORTH_IT)
}

/// The patience that goes with a mean time in the server and a default slice, all in nanoseconds.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates"
)]
pub(crate) fn of(mean_ns: f64, slice_ns: u64) -> u64 {
    ((mean_ns * PATIENCE) as u64).max(slice_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Oldest;

    const MS: Duration = Duration::from_millis(1);

    /// A mean of 2 ms, so a patience of 4.5 ms, and an oldest request of that age and cost.
    fn seen(oldest_age: Duration, oldest_cost: Duration) -> Observation {
        Observation {
            mean: 2 * MS,
            oldest: Some(Oldest {
                age: oldest_age,
                cost: oldest_cost,
            }),
            ..Observation::default()
        }
    }

    #[test]
    fn only_impatience_holds_back() {
        assert_eq!(at_begin(&Observation::default()), Decision::Stay);
        assert_eq!(at_begin(&seen(4 * MS, MS)), Decision::Stay);
        assert_eq!(at_begin(&seen(5 * MS, MS)), Decision::Park);
        let slow_kernel = Observation {
            slice: 6 * MS,
            ..seen(5 * MS, MS)
        };
        assert_eq!(
            at_begin(&slow_kernel),
            Decision::Stay,
            "one slice is nothing special"
        );
    }

    #[test]
    fn short_ones_pass_until_that_is_too_much_as_well() {
        let own = |cost: Duration, oldest_age| Observation {
            cost,
            ..seen(oldest_age, MS)
        };
        assert_eq!(at_begin(&own(MS / 2, 5 * MS)), Decision::Stay);
        assert_eq!(at_begin(&own(MS * 2 / 3, 5 * MS)), Decision::Park);
        assert_eq!(at_begin(&own(MS / 2, 10 * MS)), Decision::Park);
        assert_eq!(
            at_begin(&own(Duration::ZERO, 5 * MS)),
            Decision::Park,
            "unknown is not short"
        );
    }

    #[test]
    fn nobody_waits_longer_than_he_has_others_wait() {
        let held = Observation {
            age: 5 * MS,
            ..seen(9 * MS, MS)
        };
        assert_eq!(at_begin(&held), Decision::Stay);
    }

    #[test]
    fn both_forms_of_the_patience_agree() {
        for (mean, slice) in [(2 * MS, Duration::ZERO), (MS, 3 * MS)] {
            let seen = Observation {
                mean,
                slice,
                ..Observation::default()
            };
            let ns = of(mean.as_nanos() as f64, slice.as_nanos().try_into().unwrap());
            assert_eq!(patience(&seen), Duration::from_nanos(ns));
        }
    }
}
