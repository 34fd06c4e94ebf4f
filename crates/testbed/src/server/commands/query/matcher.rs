use bson::RawBsonRef;

use crate::server::storage::{
    order::{self, tag},
    path::{Found, Path, elements},
};

/// A condition on a value, in practice on a document.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::server::commands) enum Matcher {
    /// Each of them holds.
    All(Vec<Self>),
    /// At least one holds.
    Any(Vec<Self>),
    /// It does not hold.
    Not(Box<Self>),
    /// Something that the path leads to passes the test.
    Field {
        /// From the value that is asked about.
        path: Path,
        /// What it has to pass.
        test: Test,
    },
}

/// What a value is compared with, encoded as [`order`] does.
pub(in crate::server::commands) type Operand = Vec<u8>;

/// What a path has to lead to. Comparisons look into an array for one element; the others take it as a whole.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::server::commands) enum Test {
    Compare(Relation, Operand),
    /// Equal to one of them, which are sorted.
    OneOf(Vec<Operand>),
    Exists,
    /// An array of this length.
    Length(usize),
    /// An array with an element for which the condition holds.
    Element(Box<Matcher>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server::commands) enum Relation {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Matcher {
    pub(in crate::server::commands) fn matches(&self, value: RawBsonRef<'_>) -> bool {
        match self {
            Self::All(all) => all.iter().all(|matcher| matcher.matches(value)),
            Self::Any(any) => any.iter().any(|matcher| matcher.matches(value)),
            Self::Not(matcher) => !matcher.matches(value),
            Self::Field { path, test } => match test {
                Test::Compare(..) | Test::OneOf(_) => {
                    path.any_element(value, &mut |found| test.passes(found))
                }
                Test::Exists | Test::Length(_) | Test::Element(_) => {
                    path.any(value, &mut |found| test.passes(found))
                }
            },
        }
    }

    /// The conditions that all have to hold.
    pub(in crate::server::commands) fn conjuncts(&self) -> Vec<&Self> {
        match self {
            Self::All(all) => all.iter().flat_map(Self::conjuncts).collect(),
            other => vec![other],
        }
    }
}

impl Test {
    fn passes(&self, found: Found<'_>) -> bool {
        match self {
            Self::Compare(relation, operand) => relation.holds(found, operand),
            Self::OneOf(operands) => {
                let tag = order::tag_of(&found.unwrap_or(RawBsonRef::Null));
                // Most values are of another type, and need not be encoded to know.
                operands.iter().any(|operand| operand.first() == Some(&tag))
                    && operands.binary_search(&encoded(found)).is_ok()
            }
            Self::Exists => found.is_some(),
            Self::Length(length) => {
                matches!(found, Some(RawBsonRef::Array(array)) if elements(array).count() == *length)
            }
            Self::Element(matcher) => {
                matches!(found, Some(RawBsonRef::Array(array)) if elements(array).any(|element| matcher.matches(element)))
            }
        }
    }
}

impl Relation {
    /// Whether it holds between what was found and `operand`: only within one type, but for the ends of the order. A
    /// missing value is null.
    fn holds(self, found: Found<'_>, operand: &[u8]) -> bool {
        let value = found.unwrap_or(RawBsonRef::Null);
        let same_type = operand.first() == Some(&order::tag_of(&value));
        if !same_type && (self == Self::Equal || !is_end(operand)) {
            return false;
        }
        let value = encoded(found);
        if (value == order::NAN) != (operand == order::NAN) {
            return false;
        }
        match self {
            Self::Equal => value == operand,
            Self::Less => value.as_slice() < operand,
            Self::LessOrEqual => value.as_slice() <= operand,
            Self::Greater => value.as_slice() > operand,
            Self::GreaterOrEqual => value.as_slice() >= operand,
        }
    }
}

/// `MinKey` and `MaxKey` compare with values of all types.
pub(super) fn is_end(operand: &[u8]) -> bool {
    matches!(operand.first(), Some(&tag::MIN_KEY | &tag::MAX_KEY))
}

fn encoded(found: Found<'_>) -> Operand {
    order::encoded(found.unwrap_or(RawBsonRef::Null))
}
