//! What an update makes of a document.

mod action;
mod operators;
mod upsert;

use bson::{RawBsonRef, RawDocument, RawDocumentBuf, spec::ElementType};

use self::operators::Operators;
use super::{error::CommandError, query::has_operators};

/// Longest document, in bytes: MongoDB's limit.
pub(super) const MAX_DOCUMENT_BYTES: usize = 16 * 1024 * 1024;

/// Deepest nesting of a document: MongoDB's documented limit. A reply that holds it nests a few levels more.
const MAX_DEPTH: usize = 100;

/// An update: operators, or a whole document.
#[derive(Clone, Debug)]
pub(super) enum Change<'a> {
    Operators(Operators),
    Replacement(&'a RawDocument),
}

impl<'a> Change<'a> {
    pub(super) fn parse(update: RawBsonRef<'a>) -> Result<Self, CommandError> {
        let document = update.as_document().ok_or_else(|| {
            CommandError::parse(
                "expected the update as a document of operators such as $set, or a whole document",
            )
        })?;
        if has_operators(document)? {
            return Operators::parse(document).map(Self::Operators);
        }
        for field in document {
            let name = field?.0.as_str();
            if name.starts_with('$') {
                return Err(CommandError::parse(format!(
                    "replacement document: expected no name that begins with a dollar sign, found '{name}'"
                )));
            }
        }
        Ok(Self::Replacement(document))
    }

    /// The changed document, or `None` if it is already as wanted.
    pub(super) fn apply(&self, document: &RawDocument) -> Result<Option<RawDocumentBuf>, CommandError> {
        let changed = match self {
            Self::Operators(operators) => operators.apply(document, false)?,
            Self::Replacement(new) => replace(document, new)?,
        };
        match changed {
            Some(changed) => checked(changed).map(Some),
            None => Ok(None),
        }
    }

    /// Whether it is one that MongoDB applies to many documents.
    pub(super) fn may_be_multi(&self) -> bool {
        matches!(self, Self::Operators(_))
    }

    /// The document that an upsert inserts where nothing matches `query`.
    pub(super) fn insert(&self, query: &RawDocument) -> Result<RawDocumentBuf, CommandError> {
        let base = upsert::base(query)?;
        let document = match self {
            Self::Operators(operators) => operators.apply(&base, true)?.unwrap_or(base),
            Self::Replacement(new) => match base.get("_id")? {
                Some(id) if new.get("_id")?.is_none() => with_id(id, new)?,
                Some(id) if new.get("_id")? != Some(id) => return Err(CommandError::immutable_id()),
                _ => (*new).to_owned(),
            },
        };
        checked(document)
    }
}

/// The new document, with the `_id` of the old one if it has none.
fn replace(old: &RawDocument, new: &RawDocument) -> Result<Option<RawDocumentBuf>, CommandError> {
    let replaced = match (old.get("_id")?, new.get("_id")?) {
        (Some(id), None) => with_id(id, new)?,
        (Some(id), Some(new_id)) if id != new_id => return Err(CommandError::immutable_id()),
        _ => new.to_owned(),
    };
    Ok((replaced.as_bytes() != old.as_bytes()).then_some(replaced))
}

/// The document with `id` as its first field.
pub(super) fn with_id<'a>(
    id: impl Into<RawBsonRef<'a>>,
    document: &RawDocument,
) -> Result<RawDocumentBuf, CommandError> {
    let mut with_id = RawDocumentBuf::new();
    with_id.append(bson::raw::cstr!("_id"), id.into());
    for field in document {
        let (name, value) = field?;
        if name.as_str() != "_id" {
            with_id.append(name, value);
        }
    }
    Ok(with_id)
}

/// The document, if it is one that can be kept.
pub(super) fn checked<D: AsRef<RawDocument>>(document: D) -> Result<D, CommandError> {
    if document.as_ref().as_bytes().len() > MAX_DOCUMENT_BYTES {
        return Err(CommandError::too_large(MAX_DOCUMENT_BYTES));
    }
    if nests_deeper(document.as_ref(), MAX_DEPTH) {
        return Err(CommandError::too_deep(MAX_DEPTH));
    }
    Ok(document)
}

fn nests_deeper(document: &RawDocument, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else {
        return true;
    };
    document.iter_elements().filter_map(Result::ok).any(|element| {
        // Most values are flat, and need not be read to know.
        matches!(
            element.element_type(),
            ElementType::EmbeddedDocument | ElementType::Array
        ) && match element.value() {
            Ok(RawBsonRef::Document(inner)) => nests_deeper(inner, left),
            Ok(RawBsonRef::Array(inner)) => {
                RawDocument::from_bytes(inner.as_bytes()).is_ok_and(|inner| nests_deeper(inner, left))
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests;
