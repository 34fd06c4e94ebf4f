//! YCSB's core workloads, after their published definitions: which record an operation goes to, its key, and what
//! is in it. Source of the constants: brianfrankcooper/YCSB, `core/`, as of April 2026.

mod fnv;
mod key;
mod operations;
mod record;
mod scrambled;
mod zipfian;

pub(super) use key::{Key, LONGEST_NUMBER};
pub(super) use operations::{Generators, Operations, Request};
#[cfg(test)]
pub(super) use record::random_value;
pub(super) use record::{FIELD_BYTES, FIELDS, Value, record_batch};
pub(super) use scrambled::Scrambled;
