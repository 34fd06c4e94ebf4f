use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use scenario::Operation;

use super::{
    key::Key,
    record::{FIELDS, Value, random_value},
    scrambled::Scrambled,
};

/// Independent random generators, all from one seed: the n-th is the same in every run with that seed. The
/// algorithm, xoshiro256++, is fixed by name, so results do not change with the `rand` crate or the machine.
#[derive(Debug)]
pub(in crate::client) struct Generators(Xoshiro256PlusPlus);

impl Generators {
    pub(in crate::client) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(in crate::client) fn next(&mut self) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::from_rng(&mut self.0)
    }
}

/// One operation on one record.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) enum Request {
    /// Read all fields.
    Read {
        /// The record's key.
        key: Key,
    },
    /// Set one field.
    Update {
        /// The record's key.
        key: Key,
        /// Which field, from 0.
        field: u8,
        /// Its new value.
        value: Value,
    },
}

impl Request {
    pub(in crate::client) fn operation(&self) -> Operation {
        match self {
            Self::Read { .. } => Operation::Read,
            Self::Update { .. } => Operation::Update,
        }
    }
}

/// The endless sequence of one connection's operations.
#[derive(Debug)]
pub(in crate::client) struct Operations {
    random: Xoshiro256PlusPlus,
    records: Scrambled,
    read_percent: u32,
}

impl Operations {
    /// A sequence over `records` records, at least one, that depends on nothing but its arguments.
    pub(in crate::client) fn new(random: Xoshiro256PlusPlus, records: u64, read_percent: u32) -> Self {
        Self {
            random,
            records: Scrambled::new(records),
            read_percent,
        }
    }

    pub(in crate::client) fn next(&mut self) -> Request {
        let is_read = self.random.random_range(0..100) < self.read_percent;
        let key = Key::of(self.records.next(&mut self.random));
        if is_read {
            Request::Read { key }
        } else {
            Request::Update {
                key,
                field: random_field(&mut self.random),
                value: random_value(&mut self.random),
            }
        }
    }
}

fn random_field(random: &mut impl Rng) -> u8 {
    #[allow(clippy::cast_possible_truncation, reason = "ten fields")]
    const COUNT: u8 = FIELDS.len() as u8;
    random.random_range(0..COUNT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(seed: u64, connection: usize, read_percent: u32) -> Vec<String> {
        let mut generators = Generators::new(seed);
        let random = std::iter::repeat_with(|| generators.next())
            .nth(connection)
            .unwrap();
        let mut operations = Operations::new(random, 1000, read_percent);
        (0..200)
            .map(|_| match operations.next() {
                Request::Read { key } => format!("read {key}"),
                Request::Update { key, field, value } => format!("update {key} {field} {value:?}"),
            })
            .collect()
    }

    #[test]
    fn a_sequence_depends_on_seed_and_connection_alone() {
        assert_eq!(sequence(1, 5, 50), sequence(1, 5, 50));
        assert_ne!(sequence(1, 5, 50), sequence(1, 6, 50));
        assert_ne!(sequence(1, 5, 50), sequence(2, 5, 50));
    }

    #[test]
    fn the_mix_has_its_shares() {
        for read_percent in [0, 5, 50, 95, 100] {
            let mut operations = Operations::new(Generators::new(3).next(), 1000, read_percent);
            let mut fields = [0_u32; 10];
            let mut reads = 0_u32;
            for _ in 0..20_000 {
                match operations.next() {
                    Request::Read { .. } => reads += 1,
                    Request::Update { field, .. } => fields[usize::from(field)] += 1,
                }
            }
            let percent = f64::from(reads) / 200.0;
            assert!(
                (percent - f64::from(read_percent)).abs() < 1.5,
                "{percent} % instead of {read_percent} %"
            );
            let updates = 20_000 - reads;
            assert_eq!(fields.iter().sum::<u32>(), updates);
            assert!(
                updates < 5_000
                    || fields
                        .iter()
                        .all(|&count| (f64::from(count) / f64::from(updates) - 0.1).abs() < 0.02)
            );
        }
    }
}
