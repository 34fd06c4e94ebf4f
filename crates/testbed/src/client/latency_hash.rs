//! A number that stands for all recorded latencies, in their order.

use scenario::Operation;

/// The start of 64-bit FNV-1a; any number other than 0 would do.
const START: u64 = 0xcbf2_9ce4_8422_2325;
/// 2^64 divided by the golden ratio, odd: the usual multiplier of multiplicative hashing (Knuth, TAOCP 3, 6.4).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
/// Brings high bits, which a multiplication does not spread, to where the next one spreads them.
const ROTATION: u32 = 29;

/// Order-sensitive hash of operations and their latencies: a rotation, an xor and a multiplication for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LatencyHash(u64);

impl LatencyHash {
    pub(super) fn new() -> Self {
        Self(START)
    }

    /// Takes in one operation.
    pub(super) fn add(&mut self, operation: Operation, latency_ns: u64) {
        // In bits that no latency reaches.
        self.mix(latency_ns ^ ((operation as u64) << 61));
    }

    /// Takes in what another thread has seen.
    pub(super) fn join(&mut self, other: Self) {
        self.mix(other.0);
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }

    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(ROTATION) ^ word).wrapping_mul(MULTIPLIER);
    }
}

/// Serde adaptor: the number as 16 hexadecimal digits, which no reader of JSON rounds.
pub(super) mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(in crate::client) fn serialize<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{hash:016x}"))
    }

    pub(in crate::client) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<u64, D::Error> {
        let digits = String::deserialize(deserializer)?;
        u64::from_str_radix(&digits, 16)
            .map_err(|_| D::Error::custom(format!("expected hexadecimal digits, found `{digits}`")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn hash(operations: &[(Operation, u64)]) -> LatencyHash {
        let mut hash = LatencyHash::new();
        for &(operation, latency_ns) in operations {
            hash.add(operation, latency_ns);
        }
        hash
    }

    #[test]
    fn it_tells_values_kinds_and_order_apart() {
        use Operation::{Read, Update};
        let sequences: &[&[(Operation, u64)]] = &[
            &[],
            &[(Read, 0)],
            &[(Update, 0)],
            &[(Read, 0), (Read, 0)],
            &[(Read, 5), (Update, 5)],
            &[(Update, 5), (Read, 5)],
            &[(Read, 5), (Read, 6)],
            &[(Read, 6), (Read, 5)],
            &[(Read, 5), (Read, 6), (Read, 7)],
            &[(Read, 5), (Read, 7), (Read, 6)],
            &[(Read, 1 << 62), (Read, 1 << 62)],
        ];
        let hashes: HashSet<u64> = sequences.iter().map(|sequence| hash(sequence).value()).collect();
        assert_eq!(hashes.len(), sequences.len());
        assert_eq!(hash(sequences[9]), hash(sequences[9]));
    }

    #[test]
    fn one_changed_nanosecond_changes_it() {
        let same: Vec<_> = (0..1000).map(|at| (Operation::Read, 50_000 + at * 17)).collect();
        let mut seen = HashSet::from([hash(&same).value()]);
        for at in 0..same.len() {
            for changed_ns in [same[at].1 - 1, same[at].1 + 1] {
                let mut other = same.clone();
                other[at].1 = changed_ns;
                assert!(seen.insert(hash(&other).value()), "{at}");
            }
        }
    }

    #[test]
    fn threads_join_in_their_order() {
        let parts = [hash(&[(Operation::Read, 1)]), hash(&[(Operation::Read, 2)])];
        let joined = |order: [usize; 2]| {
            let mut joined = LatencyHash::new();
            for part in order {
                joined.join(parts[part]);
            }
            joined
        };
        assert_eq!(joined([0, 1]), joined([0, 1]));
        assert_ne!(joined([0, 1]), joined([1, 0]));
    }
}
