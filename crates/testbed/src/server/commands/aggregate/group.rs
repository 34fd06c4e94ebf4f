use std::collections::BTreeMap;

use bson::{
    Bson, RawBson, RawDocument, RawDocumentBuf,
    raw::{CString, cstr},
};

use super::expression::{Expression, raw};
use crate::server::commands::{error::CommandError, query::key_bytes};

/// What all groups may hold, in bytes.
const MAX_BYTES: usize = 100 * 1024 * 1024;

/// Documents with one value in common, and what is calculated of each such group.
#[derive(Debug)]
pub(super) struct Group {
    by: Expression,
    fields: Vec<(CString, Accumulator, Expression)>,
    groups: BTreeMap<Vec<u8>, (Bson, Vec<State>)>,
    bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Accumulator {
    Sum,
    Average,
    Least,
    Greatest,
    First,
    Last,
    Count,
}

/// What one accumulator knows of one group.
#[derive(Clone, Debug, Default)]
struct State {
    documents: i64,
    numbers: i64,
    sum: Sum,
    value: Option<Bson>,
}

/// A sum in the widest type that was added.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    whole: i64,
    double: f64,
    has_long: bool,
    has_double: bool,
}

impl Group {
    pub(super) fn parse(document: &RawDocument) -> Result<Self, CommandError> {
        let (mut by, mut fields) = (None, Vec::new());
        for field in document {
            let (name, value) = field?;
            if name.as_str() == "_id" {
                by = Some(Expression::parse(value)?);
                continue;
            }
            let expected = || {
                CommandError::bad_value(format!(
                    "$group '{}': expected a document with one of $sum, $avg, $min, $max, $first, $last and $count",
                    name.as_str()
                ))
            };
            let mut accumulators = value.as_document().ok_or_else(expected)?.iter();
            let (Some((operator, operand)), None) = (accumulators.next().transpose()?, accumulators.next())
            else {
                return Err(expected());
            };
            let accumulator = match operator.as_str() {
                "$sum" => Accumulator::Sum,
                "$avg" => Accumulator::Average,
                "$min" => Accumulator::Least,
                "$max" => Accumulator::Greatest,
                "$first" => Accumulator::First,
                "$last" => Accumulator::Last,
                "$count" => Accumulator::Count,
                _ => return Err(expected()),
            };
            fields.push((name.into(), accumulator, Expression::parse(operand)?));
        }
        let by = by
            .ok_or_else(|| CommandError::bad_value("$group: expected what to group by in the field '_id'"))?;
        Ok(Self {
            by,
            fields,
            groups: BTreeMap::new(),
            bytes: 0,
        })
    }

    pub(super) fn add(&mut self, document: &RawDocument) -> Result<(), CommandError> {
        let by = self.by.value(document)?.unwrap_or(Bson::Null);
        let key = key_bytes(&by)?;
        let bytes = key.len();
        let (_, states) = self.groups.entry(key).or_insert_with(|| {
            self.bytes += 2 * bytes + self.fields.len() * size_of::<State>();
            (by, vec![State::default(); self.fields.len()])
        });
        if self.bytes > MAX_BYTES {
            return Err(CommandError::sort_memory(MAX_BYTES));
        }
        for (state, (_, accumulator, expression)) in states.iter_mut().zip(&self.fields) {
            state.add(*accumulator, expression.value(document)?)?;
        }
        Ok(())
    }

    /// One document for each group, in the order of what they are grouped by.
    pub(super) fn finish(&mut self) -> Result<Vec<RawDocumentBuf>, CommandError> {
        let groups = std::mem::take(&mut self.groups);
        let documents = groups.into_values().map(|(by, states)| {
            let mut document = RawDocumentBuf::new();
            document.append(cstr!("_id"), raw(by)?);
            for (state, (name, accumulator, _)) in states.into_iter().zip(&self.fields) {
                document.append(name, state.result(*accumulator)?);
            }
            Ok(document)
        });
        documents.collect()
    }
}

impl State {
    fn add(&mut self, accumulator: Accumulator, value: Option<Bson>) -> Result<(), CommandError> {
        self.documents += 1;
        let replaces = match (accumulator, &self.value, &value) {
            (Accumulator::Sum | Accumulator::Average, _, Some(number)) => {
                self.numbers += i64::from(self.sum.add(number));
                false
            }
            (Accumulator::First, _, _) => self.documents == 1,
            (Accumulator::Last, _, _) => true,
            (Accumulator::Least | Accumulator::Greatest, None, Some(new)) => *new != Bson::Null,
            (Accumulator::Least, Some(old), Some(new)) => {
                *new != Bson::Null && key_bytes(new)? < key_bytes(old)?
            }
            (Accumulator::Greatest, Some(old), Some(new)) => {
                *new != Bson::Null && key_bytes(new)? > key_bytes(old)?
            }
            _ => false,
        };
        if replaces {
            self.value = value;
        }
        Ok(())
    }

    fn result(self, accumulator: Accumulator) -> Result<RawBson, CommandError> {
        Ok(match accumulator {
            Accumulator::Sum => self.sum.total(),
            Accumulator::Average if self.numbers == 0 => RawBson::Null,
            Accumulator::Average => RawBson::Double(self.sum.as_f64() / self.numbers as f64),
            Accumulator::Count => narrow(self.documents),
            _ => raw(self.value.unwrap_or(Bson::Null))?,
        })
    }
}

impl Sum {
    /// Adds a number, and nothing else; gives whether it was one.
    fn add(&mut self, value: &Bson) -> bool {
        match value {
            Bson::Int32(number) => self.add_whole(i64::from(*number)),
            Bson::Int64(number) => {
                self.has_long = true;
                self.add_whole(*number);
            }
            Bson::Double(number) => {
                self.has_double = true;
                self.double += number;
            }
            _ => return false,
        }
        true
    }

    fn add_whole(&mut self, number: i64) {
        if let Some(sum) = self.whole.checked_add(number) {
            self.whole = sum;
        } else {
            // Past 64 bits it goes on as a double, as in MongoDB.
            self.has_double = true;
            self.double += number as f64;
        }
    }

    fn as_f64(self) -> f64 {
        self.double + self.whole as f64
    }

    fn total(self) -> RawBson {
        if self.has_double {
            RawBson::Double(self.as_f64())
        } else if self.has_long {
            RawBson::Int64(self.whole)
        } else {
            narrow(self.whole)
        }
    }
}

/// A 32-bit number where it fits.
fn narrow(number: i64) -> RawBson {
    i32::try_from(number).map_or(RawBson::Int64(number), RawBson::Int32)
}
