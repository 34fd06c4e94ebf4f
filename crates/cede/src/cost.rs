//! What a call costs, for tests that print it.

use std::time::Instant;

/// Time of one `call` in ns: the shortest of some rounds of `repeats` calls, in which others used the machine least.
pub(crate) fn each_ns(repeats: u32, call: &dyn Fn()) -> u128 {
    const ROUNDS: u32 = 20;

    let round = || {
        let start = Instant::now();
        (0..repeats).for_each(|_| call());
        start.elapsed().as_nanos() / u128::from(repeats)
    };
    (0..ROUNDS).map(|_| round()).min().unwrap_or_default()
}
