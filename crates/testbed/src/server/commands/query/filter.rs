use bson::{RawBsonRef, RawDocument};

use super::error::CommandError;
use crate::server::storage::DocumentKey;

/// Which documents a command is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// All of them.
    All,
    /// The one with this `_id`.
    Id(DocumentKey),
}

impl Filter {
    /// Reads `{}`, `{_id: value}` or `{_id: {$eq: value}}`.
    pub(super) fn parse(filter: &RawDocument) -> Result<Self, CommandError> {
        let mut fields = filter.iter();
        let Some(first) = fields.next() else {
            return Ok(Self::All);
        };
        let (name, value) = first?;
        if name.as_str() != "_id" || fields.next().is_some() {
            return Err(unsupported());
        }
        key(operand(value)?).map(Self::Id)
    }
}

/// The key for an `_id`.
pub(super) fn key(id: RawBsonRef<'_>) -> Result<DocumentKey, CommandError> {
    DocumentKey::new(id).ok_or_else(|| {
        CommandError::bad_value(format!(
            "expected an _id of at most {} bytes that is no array, regular expression or undefined",
            DocumentKey::MAX_BYTES
        ))
    })
}

fn operand(value: RawBsonRef<'_>) -> Result<RawBsonRef<'_>, CommandError> {
    let Some((operator, operand)) = value
        .as_document()
        .and_then(|document| document.iter().next())
        .transpose()?
    else {
        return Ok(value);
    };
    match operator.as_str() {
        "$eq" => Ok(operand),
        other if other.starts_with('$') => Err(unsupported()),
        _ => Ok(value),
    }
}

fn unsupported() -> CommandError {
    CommandError::bad_value(
        "this server finds documents by _id: expected the filter {}, {_id: value} or {_id: {$eq: value}}",
    )
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
    fn what_is_not_understood_is_refused_and_never_taken_for_all() {
        for filter in [
            doc! { "_id": { "$gt": 1 } },
            doc! { "a": 1 },
            doc! { "_id": 1, "a": 1 },
            doc! { "_id": [1] },
        ] {
            assert!(parse(&filter).is_err(), "{filter}");
        }
    }
}
