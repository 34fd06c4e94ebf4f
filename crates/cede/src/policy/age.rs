//! `age`: yield only when somebody has waited too long.

use crate::decision::Decision;
use crate::observation::Observation;

/// How long, in mean times in the server.
const PATIENCE: u32 = 3;

pub(crate) fn at_yield_point(seen: &Observation) -> Decision {
    match seen.oldest {
        Some(oldest) if oldest.age > seen.mean.saturating_mul(PATIENCE) => Decision::Yield,
        _ => Decision::Stay,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::observation::Oldest;

    #[test]
    fn it_yields_for_the_old_alone() {
        let aged = |ms| Observation {
            mean: Duration::from_millis(2),
            oldest: Some(Oldest {
                age: Duration::from_millis(ms),
                ..Oldest::default()
            }),
            ..Observation::default()
        };
        assert_eq!(at_yield_point(&aged(6)), Decision::Stay);
        assert_eq!(at_yield_point(&aged(7)), Decision::Yield);
        assert_eq!(at_yield_point(&Observation::default()), Decision::Stay);
    }
}
