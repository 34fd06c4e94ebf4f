use bson::{Bson, RawBson, RawBsonRef};

use super::operators::owned;
use crate::server::commands::{
    context,
    error::CommandError,
    query::{Matcher, key_bytes},
};

/// What happens to one value.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Set(Bson),
    Unset,
    Add(Bson),
    Multiply(Bson),
    Least(Bson),
    Greatest(Bson),
    Push { values: Vec<Bson>, slice: Option<i64> },
    AddToSet(Vec<Bson>),
    Pull(Matcher),
}

impl Action {
    pub(super) fn parse(operator: &str, operand: RawBsonRef<'_>) -> Result<Self, CommandError> {
        match operator {
            "$set" | "$setOnInsert" => owned(operand).map(Self::Set),
            "$unset" => Ok(Self::Unset),
            "$inc" => number(operator, operand).map(Self::Add),
            "$mul" => number(operator, operand).map(Self::Multiply),
            "$min" => owned(operand).map(Self::Least),
            "$max" => owned(operand).map(Self::Greatest),
            "$push" => {
                let (values, slice) = several(operator, operand)?;
                Ok(Self::Push { values, slice })
            }
            "$addToSet" => match several(operator, operand)? {
                (values, None) => Ok(Self::AddToSet(values)),
                _ => Err(modifier(operator, "$slice", "$each")),
            },
            "$pull" => Matcher::of_element(operand).map(Self::Pull),
            other => Err(CommandError::parse(format!(
                "unknown modifier: {other}; expected $set, $setOnInsert, $unset, $inc, $mul, $min, $max, $push, $addToSet or \
                 $pull"
            ))),
        }
    }

    /// Whether there is nothing to do where there is no value, or no place for one.
    pub(super) fn ignores_what_is_missing(&self) -> bool {
        matches!(self, Self::Unset | Self::Pull(_))
    }

    pub(super) fn apply(&self, value: Option<Bson>) -> Result<Option<Bson>, CommandError> {
        match self {
            Self::Set(new) => Ok(Some(new.clone())),
            Self::Unset => Ok(None),
            Self::Add(amount) => match value {
                None => Ok(Some(amount.clone())),
                Some(old) => calculated("$inc", &old, amount, i64::checked_add, |a, b| a + b).map(Some),
            },
            Self::Multiply(factor) => {
                let old = value.unwrap_or(Bson::Int32(0));
                calculated("$mul", &old, factor, i64::checked_mul, |a, b| a * b).map(Some)
            }
            Self::Least(bound) => better(value, bound, |bound, value| bound < value),
            Self::Greatest(bound) => better(value, bound, |bound, value| bound > value),
            Self::Push { values, slice } => {
                let mut array = array("$push", value)?;
                array.extend(values.iter().cloned());
                if let Some(slice) = slice {
                    cut(&mut array, *slice);
                }
                Ok(Some(Bson::Array(array)))
            }
            Self::AddToSet(values) => {
                let mut array = array("$addToSet", value)?;
                for value in values {
                    if !array.contains(value) {
                        array.push(value.clone());
                    }
                }
                Ok(Some(Bson::Array(array)))
            }
            Self::Pull(matcher) => match value {
                None => Ok(None),
                some => {
                    let mut kept = Vec::new();
                    for element in array("$pull", some)? {
                        let raw = RawBson::try_from(element.clone())?;
                        if !matcher.matches(raw.as_raw_bson_ref()) {
                            kept.push(element);
                        }
                    }
                    Ok(Some(Bson::Array(kept)))
                }
            },
        }
    }
}

fn number(operator: &str, operand: RawBsonRef<'_>) -> Result<Bson, CommandError> {
    match operand {
        RawBsonRef::Int32(_) | RawBsonRef::Int64(_) | RawBsonRef::Double(_) => owned(operand),
        _ => Err(CommandError::mismatch(operator, "an int, a long or a double")),
    }
}

/// One value, or those of `$each`, and what `$slice` leaves of the array.
fn several(operator: &str, operand: RawBsonRef<'_>) -> Result<(Vec<Bson>, Option<i64>), CommandError> {
    let Some(document) = operand.as_document() else {
        return Ok((vec![owned(operand)?], None));
    };
    let Some(each) = document.get("$each")? else {
        return Ok((vec![owned(operand)?], None));
    };
    let each = each
        .as_array()
        .ok_or_else(|| CommandError::mismatch("$each", "an array"))?;
    let mut slice = None;
    for modifier_field in document {
        match modifier_field? {
            (name, _) if name.as_str() == "$each" => {}
            (name, value) if name.as_str() == "$slice" => {
                slice = Some(context::integer("$slice", value)?);
            }
            (name, _) => return Err(modifier(operator, name.as_str(), "$each and $slice")),
        }
    }
    let values = each.into_iter().map(|element| owned(element?));
    Ok((values.collect::<Result<_, CommandError>>()?, slice))
}

fn modifier(operator: &str, found: &str, expected: &str) -> CommandError {
    CommandError::bad_value(format!(
        "{operator}: unrecognized clause '{found}', expected {expected}"
    ))
}

fn array(operator: &str, value: Option<Bson>) -> Result<Vec<Bson>, CommandError> {
    match value {
        None => Ok(Vec::new()),
        Some(Bson::Array(array)) => Ok(array),
        Some(other) => Err(CommandError::bad_value(format!(
            "{operator}: the field must be an array but is of type {:?}",
            other.element_type()
        ))),
    }
}

/// Keeps the first elements, or the last ones if the number is negative.
fn cut(array: &mut Vec<Bson>, slice: i64) {
    let keep = usize::try_from(slice.unsigned_abs()).unwrap_or(usize::MAX);
    if slice < 0 {
        array.drain(..array.len().saturating_sub(keep));
    } else {
        array.truncate(keep);
    }
}

fn better(
    value: Option<Bson>,
    bound: &Bson,
    beats: fn(&[u8], &[u8]) -> bool,
) -> Result<Option<Bson>, CommandError> {
    let Some(value) = value else {
        return Ok(Some(bound.clone()));
    };
    let replace = beats(&key_bytes(bound)?, &key_bytes(&value)?);
    Ok(Some(if replace { bound.clone() } else { value }))
}

/// A calculation in the widest of the two types; 32-bit numbers widen where the result asks for it.
fn calculated(
    operator: &str,
    old: &Bson,
    operand: &Bson,
    whole: fn(i64, i64) -> Option<i64>,
    double: fn(f64, f64) -> f64,
) -> Result<Bson, CommandError> {
    let wide = |value: &Bson| match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        _ => None,
    };
    let float = |value: &Bson| match value {
        Bson::Double(number) => Some(*number),
        other => wide(other).map(|number| number as f64),
    };
    match (wide(old), wide(operand)) {
        (Some(a), Some(b)) => {
            let result = whole(a, b).ok_or_else(|| {
                CommandError::bad_value(format!(
                    "{operator}: the result is past the range of a 64-bit number"
                ))
            })?;
            let narrow = matches!((old, operand), (Bson::Int32(_), Bson::Int32(_)));
            Ok(match i32::try_from(result) {
                Ok(result) if narrow => Bson::Int32(result),
                _ => Bson::Int64(result),
            })
        }
        _ => match (float(old), float(operand)) {
            (Some(a), Some(b)) => Ok(Bson::Double(double(a, b))),
            _ => Err(CommandError::mismatch(
                operator,
                &format!("a number to act on, found {:?}", old.element_type()),
            )),
        },
    }
}
