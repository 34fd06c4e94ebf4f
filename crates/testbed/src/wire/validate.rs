use bson::{RawBsonRef, RawDocument};

use super::error::WireError;

/// Deepest nesting of documents and arrays that is accepted, as in MongoDB.
const MAX_DEPTH: usize = 180;

/// Checks that `document` is valid BSON in all its depth: the `bson` crate's raw types check only what is looked at.
pub(super) fn validate(document: &RawDocument) -> Result<(), WireError> {
    validate_at(document, 1)
}

fn validate_at(document: &RawDocument, depth: usize) -> Result<(), WireError> {
    if depth > MAX_DEPTH {
        return Err(WireError::Bson(format!("nested deeper than {MAX_DEPTH} levels")));
    }
    for element in document {
        let (_, value) = element.map_err(|error| WireError::Bson(error.to_string()))?;
        match value {
            RawBsonRef::Document(inner) => validate_at(inner, depth + 1)?,
            RawBsonRef::Array(inner) => {
                let inner = RawDocument::from_bytes(inner.as_bytes())
                    .map_err(|error| WireError::Bson(error.to_string()))?;
                validate_at(inner, depth + 1)?;
            }
            RawBsonRef::JavaScriptCodeWithScope(code) => validate_at(code.scope, depth + 1)?,
            _ => {}
        }
    }
    Ok(())
}
