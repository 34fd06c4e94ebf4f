use rand::Rng;

use super::{fnv::fnv64, zipfian::Zipfian};

/// YCSB's skew.
const THETA: f64 = 0.99;
/// The last number that the inner generator can give; the first is 0.
const LAST_ITEM: u64 = 10_000_000_000;
/// The zeta of ten billion items at that skew, which YCSB has computed once and for all.
const ZETA_ITEMS: f64 = 26.469_028_201_783_02;

/// YCSB's scrambled zipfian choice of a record: a zipfian number out of ten billion, hashed over the records. The
/// popular records are spread over the key space, and their shares do not depend on how many records there are.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct Scrambled {
    zipfian: Zipfian,
    records: u64,
}

impl Scrambled {
    pub(in crate::client) fn new(records: u64) -> Self {
        Self {
            zipfian: Zipfian::new(LAST_ITEM + 1, THETA, ZETA_ITEMS),
            records,
        }
    }

    /// The number of a record, from 0 to `records` - 1.
    pub(in crate::client) fn next(&self, random: &mut impl Rng) -> u64 {
        // YCSB takes the upper end of its range as included and draws again when it hits the record that is not
        // there; taking the remainder by the number of records itself would put the popular keys elsewhere.
        loop {
            let record = fnv64(self.zipfian.next(random)) % (self.records + 1);
            if record < self.records {
                return record;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

    use super::*;

    /// Zeta by the Euler-Maclaurin formula from the 1000th item on.
    #[test]
    fn the_fixed_zeta_is_that_of_ten_billion_items() {
        let head: f64 = (1..1000).map(|item| f64::from(item).powf(-THETA)).sum();
        let (from, to) = (1000_f64, LAST_ITEM as f64);
        let integral = (to.powf(1.0 - THETA) - from.powf(1.0 - THETA)) / (1.0 - THETA);
        let ends = f64::midpoint(from.powf(-THETA), to.powf(-THETA));
        assert!((head + integral + ends - ZETA_ITEMS).abs() < 1e-5);
    }

    #[test]
    fn the_hottest_keys_have_their_shares_whatever_the_record_count() {
        const DRAWS: u32 = 200_000;
        for records in [1_000, 10_000, 5_000_000] {
            let scrambled = Scrambled::new(records);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(records);
            let mut counts: HashMap<u64, u32> = HashMap::new();
            for _ in 0..DRAWS {
                *counts.entry(scrambled.next(&mut random)).or_default() += 1;
            }
            let share = |item: u64| f64::from(counts[&(fnv64(item) % (records + 1))]) / f64::from(DRAWS);
            // 1 / zeta and 0.5^theta / zeta, plus the uniform share of all the rest that falls on the same record.
            assert!(
                (share(0) - 0.0378).abs() < 0.002,
                "{records} records: {}",
                share(0)
            );
            assert!(
                (share(1) - 0.0190).abs() < 0.002,
                "{records} records: {}",
                share(1)
            );
            assert!(counts.keys().all(|&record| record < records));
            assert_eq!(counts.values().max(), counts.get(&(fnv64(0) % (records + 1))));
        }
    }

    #[test]
    fn one_record_is_enough() {
        let scrambled = Scrambled::new(1);
        assert_eq!(scrambled.next(&mut Xoshiro256PlusPlus::seed_from_u64(1)), 0);
    }
}
