use std::collections::HashMap;

use bson::{RawBson, RawBsonRef, RawDocument, RawDocumentBuf};

use super::error::CommandError;

/// The fields of an update `{$set: {...}}`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set<'a> {
    fields: &'a RawDocument,
}

impl<'a> Set<'a> {
    /// Reads `{$set: {name: value, ...}}` with names of the top level.
    pub(super) fn parse(update: RawBsonRef<'a>) -> Result<Self, CommandError> {
        let expected = || CommandError::parse("expected an update of the form {$set: {field: value, ...}}");
        let mut operators = update.as_document().ok_or_else(expected)?.iter();
        let (operator, fields) = operators.next().ok_or_else(expected)??;
        let fields = fields.as_document().ok_or_else(expected)?;
        if operator.as_str() != "$set" || operators.next().is_some() {
            return Err(expected());
        }
        for field in fields {
            let name = field?.0.as_str();
            if name.is_empty() || name.contains('.') || name.starts_with('$') {
                return Err(CommandError::parse(format!(
                    "$set '{name}': expected the name of a top-level field"
                )));
            }
        }
        Ok(Self { fields })
    }

    /// The changed document, or `None` if it is already as wanted. Fields keep their places; new ones come last.
    pub(super) fn apply(self, document: &RawDocument) -> Result<Option<RawDocumentBuf>, CommandError> {
        let mut wanted = HashMap::new();
        for field in self.fields {
            let (name, value) = field?;
            wanted.insert(name.as_str(), value);
        }
        let mut changed = RawDocumentBuf::new();
        let mut differs = false;
        for field in document {
            let (name, old) = field?;
            match wanted.remove(name.as_str()) {
                Some(new) if RawBson::from(new) != RawBson::from(old) => {
                    if name.as_str() == "_id" {
                        return Err(CommandError::immutable_id());
                    }
                    differs = true;
                    changed.append(name, new);
                }
                _ => changed.append(name, old),
            }
        }
        for field in self.fields {
            let (name, _) = field?;
            if let Some(new) = wanted.remove(name.as_str()) {
                differs = true;
                changed.append(name, new);
            }
        }
        Ok(differs.then_some(changed))
    }
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc};

    use super::*;

    fn apply(document: &Document, update: &Document) -> Result<Option<Document>, CommandError> {
        let update = RawDocumentBuf::try_from(update).unwrap();
        let document = RawDocumentBuf::try_from(document).unwrap();
        let changed = Set::parse(RawBsonRef::Document(&update))?.apply(&document)?;
        Ok(changed.map(|changed| Document::try_from(changed).unwrap()))
    }

    #[test]
    fn fields_are_replaced_in_place_and_added_last() {
        let document = doc! { "_id": 1, "a": 1, "b": "x" };
        let changed = apply(&document, &doc! { "$set": { "c": true, "a": 2 } });
        assert_eq!(changed, Ok(Some(doc! { "_id": 1, "a": 2, "b": "x", "c": true })));
    }

    #[test]
    fn nothing_to_change_is_told_apart() {
        let document = doc! { "_id": 1, "a": 1 };
        assert_eq!(apply(&document, &doc! { "$set": { "a": 1, "_id": 1 } }), Ok(None));
        assert_eq!(apply(&document, &doc! { "$set": {} }), Ok(None));
    }

    #[test]
    fn other_updates_are_refused() {
        let document = doc! { "_id": 1 };
        for update in [
            doc! {},
            doc! { "a": 1 },
            doc! { "$inc": { "a": 1 } },
            doc! { "$set": { "a": 1 }, "$inc": { "b": 1 } },
            doc! { "$set": { "a.b": 1 } },
            doc! { "$set": { "_id": 2 } },
        ] {
            assert!(apply(&document, &update).is_err(), "{update}");
        }
    }
}
