use bson::{RawBsonRef, RawDocument};

use super::{matcher::Matcher, parse::has_operators};
use crate::server::{commands::error::CommandError, storage::DocumentKey};

/// Which documents a command is about.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::server::commands) enum Filter {
    /// All of them.
    All,
    /// The one with this `_id`.
    Id(DocumentKey),
    /// Those for which the condition holds.
    Matching(Matcher),
}

impl Filter {
    /// Reads a filter. `{}`, `{_id: value}` and `{_id: {$eq: value}}`, the ones that matter most, take no condition.
    pub(in crate::server::commands) fn parse(filter: &RawDocument) -> Result<Self, CommandError> {
        let mut fields = filter.iter();
        let Some(first) = fields.next() else {
            return Ok(Self::All);
        };
        let (name, value) = first?;
        if name.as_str() == "_id"
            && fields.next().is_none()
            && let Some(id) = equal_to(value)?
            && let Some(key) = DocumentKey::new(id)
        {
            return Ok(Self::Id(key));
        }
        Matcher::parse(filter).map(Self::Matching)
    }

    /// Reads a filter for documents that are kept under no `_id`.
    pub(in crate::server::commands) fn parse_matching(filter: &RawDocument) -> Result<Self, CommandError> {
        Matcher::parse(filter).map(Self::Matching)
    }

    pub(in crate::server::commands) fn matches(&self, document: &RawDocument) -> bool {
        match self {
            Self::All | Self::Id(_) => true,
            Self::Matching(matcher) => matcher.matches(RawBsonRef::Document(document)),
        }
    }
}

/// The key for an `_id`.
pub(in crate::server::commands) fn key(id: RawBsonRef<'_>) -> Result<DocumentKey, CommandError> {
    DocumentKey::new(id).ok_or_else(|| {
        CommandError::bad_value(format!(
            "expected an _id of at most {} bytes that is no array, regular expression or undefined",
            DocumentKey::MAX_BYTES
        ))
    })
}

/// The value that a field has to be equal to, if that is all that is asked for.
fn equal_to(value: RawBsonRef<'_>) -> Result<Option<RawBsonRef<'_>>, CommandError> {
    let Some(document) = value.as_document() else {
        return Ok(Some(value));
    };
    if !has_operators(document)? {
        return Ok(Some(value));
    }
    let mut operators = document.iter();
    match (operators.next().transpose()?, operators.next()) {
        (Some((name, operand)), None) if name.as_str() == "$eq" => Ok(Some(operand)),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use bson::{RawDocumentBuf, doc};

    use super::*;

    fn parse(filter: &bson::Document) -> Result<Filter, CommandError> {
        Filter::parse(&RawDocumentBuf::try_from(filter).unwrap())
    }

    #[test]
    fn ids_are_read_directly_and_through_eq() {
        assert_eq!(parse(&doc! {}), Ok(Filter::All));
        assert!(matches!(parse(&doc! { "_id": 1 }), Ok(Filter::Id(_))));
        assert_eq!(
            parse(&doc! { "_id": { "$eq": 1 } }),
            parse(&doc! { "_id": 1_i64 })
        );
        assert!(matches!(parse(&doc! { "_id": { "a": 1 } }), Ok(Filter::Id(_))));
        assert!(matches!(parse(&doc! { "_id": {} }), Ok(Filter::Id(_))));
    }

    #[test]
    fn anything_else_is_a_condition_and_never_taken_for_all() {
        for filter in [
            doc! { "_id": { "$gt": 1 } },
            doc! { "_id": { "$eq": 1, "$gt": 1 } },
            doc! { "a": 1 },
            doc! { "_id": 1, "a": 1 },
            doc! { "_id": [1] },
        ] {
            assert!(matches!(parse(&filter), Ok(Filter::Matching(_))), "{filter}");
        }
    }
}
