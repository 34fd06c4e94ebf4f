//! `budgeted`: yield, but only after some work, and only as long as yields take a small part of the time.

use std::time::Duration;

use crate::decision::Decision;
use crate::observation::Observation;

/// CPU time between two yields: some requests' worth, less than any kernel's default slice.
const QUANTUM: Duration = Duration::from_micros(500);

pub(crate) fn at_yield_point(seen: &Observation) -> Decision {
    if seen.ran >= QUANTUM && !seen.allowance.is_zero() {
        Decision::Yield
    } else {
        Decision::Stay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_work_and_an_allowance() {
        let seen = |ran_us, allowance_us| Observation {
            ran: Duration::from_micros(ran_us),
            allowance: Duration::from_micros(allowance_us),
            ..Observation::default()
        };
        assert_eq!(at_yield_point(&seen(500, 1)), Decision::Yield);
        assert_eq!(at_yield_point(&seen(499, 1)), Decision::Stay);
        assert_eq!(at_yield_point(&seen(500, 0)), Decision::Stay);
    }
}
