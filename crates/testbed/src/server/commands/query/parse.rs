//! From a filter in BSON to conditions.

use bson::{RawArray, RawBsonRef, RawDocument};

use super::matcher::{Matcher, Operand, Relation, Test};
use crate::server::{
    commands::{context, error::CommandError},
    storage::{
        order,
        path::{Path, elements},
    },
};

impl Matcher {
    /// Reads a filter such as `{a: 1, "b.c": {$gt: 2}, $or: [...]}`.
    pub(in crate::server::commands) fn parse(filter: &RawDocument) -> Result<Self, CommandError> {
        let mut all = Vec::new();
        for field in filter {
            let (name, value) = field?;
            match name.as_str() {
                "$and" => all.push(Self::All(list("$and", value)?)),
                "$or" => all.push(Self::Any(list("$or", value)?)),
                "$nor" => all.push(Self::Not(Box::new(Self::Any(list("$nor", value)?)))),
                "$comment" => {}
                operator if operator.starts_with('$') => {
                    return Err(CommandError::bad_value(format!(
                        "unknown top level operator: {operator}; expected $and, $or, $nor, $comment or a field"
                    )));
                }
                path => all.push(condition(&Path::new(path), value)?),
            }
        }
        Ok(Self::All(all))
    }

    /// Reads what elements of an array have to be: operators, a filter for documents, or a value to be equal to.
    pub(in crate::server::commands) fn of_element(wanted: RawBsonRef<'_>) -> Result<Self, CommandError> {
        match wanted.as_document() {
            Some(document) if !has_operators(document)? || begins_logically(document)? => {
                Self::parse(document)
            }
            _ => condition(&Path::here(), wanted),
        }
    }
}

/// Whether the first name is that of an operator on filters.
fn begins_logically(document: &RawDocument) -> Result<bool, CommandError> {
    let first = document.iter().next().transpose()?;
    Ok(first.is_some_and(|(name, _)| matches!(name.as_str(), "$and" | "$or" | "$nor")))
}

/// The conditions in the array of a logical operator.
fn list(operator: &str, value: RawBsonRef<'_>) -> Result<Vec<Matcher>, CommandError> {
    let expected =
        || CommandError::bad_value(format!("{operator}: expected an array of at least one filter"));
    let array = value
        .as_array()
        .filter(|array| !array.is_empty())
        .ok_or_else(expected)?;
    array
        .into_iter()
        .map(|element| Matcher::parse(element?.as_document().ok_or_else(expected)?))
        .collect()
}

/// What a field has to be: operators, or a value to be equal to.
fn condition(path: &Path, value: RawBsonRef<'_>) -> Result<Matcher, CommandError> {
    match value.as_document() {
        Some(document) if has_operators(document)? => operators(path, document),
        _ => Ok(field(path, Test::Compare(Relation::Equal, operand(value)?))),
    }
}

/// Whether a document is one of operators: its first name decides.
pub(in crate::server::commands) fn has_operators(document: &RawDocument) -> Result<bool, CommandError> {
    let first = document.iter().next().transpose()?;
    Ok(first.is_some_and(|(name, _)| name.as_str().starts_with('$')))
}

fn operators(path: &Path, operators: &RawDocument) -> Result<Matcher, CommandError> {
    let mut all = Vec::new();
    for field in operators {
        let (name, value) = field?;
        all.push(operator(path, name.as_str(), value)?);
    }
    Ok(Matcher::All(all))
}

fn operator(path: &Path, name: &str, value: RawBsonRef<'_>) -> Result<Matcher, CommandError> {
    let compare = |relation| Ok(field(path, Test::Compare(relation, operand(value)?)));
    match name {
        "$eq" => compare(Relation::Equal),
        "$ne" => compare(Relation::Equal).map(not),
        "$lt" => compare(Relation::Less),
        "$lte" => compare(Relation::LessOrEqual),
        "$gt" => compare(Relation::Greater),
        "$gte" => compare(Relation::GreaterOrEqual),
        "$in" => Ok(field(path, one_of(name, value)?)),
        "$nin" => Ok(not(field(path, one_of(name, value)?))),
        "$all" => {
            let operands = operands(array(name, value)?)?;
            let equal = |operand| field(path, Test::Compare(Relation::Equal, operand));
            // Nothing has all of nothing.
            Ok(if operands.is_empty() {
                Matcher::Any(Vec::new())
            } else {
                Matcher::All(operands.into_iter().map(equal).collect())
            })
        }
        "$exists" => {
            let exists = field(path, Test::Exists);
            Ok(if truth(value) { exists } else { not(exists) })
        }
        "$size" => {
            let length = usize::try_from(context::integer(name, value)?).map_err(|_negative| {
                CommandError::bad_value("$size: expected a number that is not negative")
            })?;
            Ok(field(path, Test::Length(length)))
        }
        "$not" => match value.as_document() {
            Some(document) if has_operators(document)? => Ok(not(operators(path, document)?)),
            _ => Err(CommandError::bad_value("$not: expected a document of operators")),
        },
        "$elemMatch" => {
            if value.as_document().is_none() {
                return Err(CommandError::bad_value("$elemMatch: expected a document"));
            }
            let matcher = Matcher::of_element(value)?;
            Ok(field(path, Test::Element(Box::new(matcher))))
        }
        other => Err(CommandError::bad_value(format!(
            "unknown operator: {other}; expected $eq, $ne, $lt, $lte, $gt, $gte, $in, $nin, $all, $exists, $size, $not or \
             $elemMatch"
        ))),
    }
}

fn field(path: &Path, test: Test) -> Matcher {
    let path = path.clone();
    Matcher::Field { path, test }
}

fn not(matcher: Matcher) -> Matcher {
    Matcher::Not(Box::new(matcher))
}

fn array<'a>(name: &str, value: RawBsonRef<'a>) -> Result<&'a RawArray, CommandError> {
    value
        .as_array()
        .ok_or_else(|| CommandError::bad_value(format!("{name} needs an array")))
}

fn one_of(name: &str, value: RawBsonRef<'_>) -> Result<Test, CommandError> {
    let mut operands = operands(array(name, value)?)?;
    operands.sort_unstable();
    operands.dedup();
    Ok(Test::OneOf(operands))
}

fn operands(array: &RawArray) -> Result<Vec<Operand>, CommandError> {
    elements(array).map(operand).collect()
}

fn operand(value: RawBsonRef<'_>) -> Result<Operand, CommandError> {
    match value {
        RawBsonRef::RegularExpression(_) => Err(CommandError::bad_value(
            "this server matches no regular expressions: expected a value of another type",
        )),
        RawBsonRef::Undefined => Err(CommandError::bad_value("cannot compare to undefined")),
        _ => Ok(order::encoded(value)),
    }
}

/// What counts as true: all but false, zero, null and undefined.
fn truth(value: RawBsonRef<'_>) -> bool {
    match value {
        RawBsonRef::Boolean(flag) => flag,
        RawBsonRef::Int32(number) => number != 0,
        RawBsonRef::Int64(number) => number != 0,
        RawBsonRef::Double(number) => number != 0.0,
        RawBsonRef::Null | RawBsonRef::Undefined => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests;
