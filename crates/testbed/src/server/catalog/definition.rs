use bson::{RawBsonRef, RawDocument, RawDocumentBuf, raw::cstr};
use thiserror::Error;

use crate::server::storage::path::Path;

/// What an index is over, and what it demands.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub(super) name: String,
    /// As the client wrote it, for instance `{category: 1}`.
    pub(super) key: RawDocumentBuf,
    pub(super) fields: Vec<Path>,
    pub(super) unique: bool,
    /// Documents without any of the fields have no entry.
    pub(super) sparse: bool,
}

/// Why an index cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DefinitionError {
    /// Its definition is not understood.
    #[error("{0}")]
    Malformed(String),
    /// There is another one of the same fields under another name.
    #[error("index already exists with a different name: {0}")]
    OtherName(String),
    /// There is another one of the same name.
    #[error("an index named '{0}' exists with another definition")]
    OtherKey(String),
}

impl Definition {
    /// Reads `{key: {field: 1}, name: "field_1", unique: true}`. `None` for the index by `_id`, which is always there.
    ///
    /// # Errors
    /// If it asks for what there is not here.
    pub fn parse(document: &RawDocument) -> Result<Option<Self>, DefinitionError> {
        let malformed = |message: &str| DefinitionError::Malformed(message.to_owned());
        let (mut key, mut name, mut unique, mut sparse) = (None, None, false, false);
        for field in document {
            let (option, value) = field.map_err(|error| DefinitionError::Malformed(error.to_string()))?;
            match (option.as_str(), value) {
                ("key", RawBsonRef::Document(fields)) => key = Some(fields),
                ("name", RawBsonRef::String(text)) => name = Some(text),
                ("unique", value) => unique = set(value),
                ("sparse", value) => sparse = set(value),
                // The first two say what is so anyway, the last one what goes without saying here.
                ("v" | "ns" | "background", _) => {}
                (other, _) => {
                    return Err(DefinitionError::Malformed(format!(
                        "index option '{other}': expected key, name, unique, sparse, v or background"
                    )));
                }
            }
        }
        let key = key.ok_or_else(|| malformed("expected the fields of the index in the document 'key'"))?;
        let name = name
            .filter(|name| !name.is_empty())
            .ok_or_else(|| malformed("expected the name of the index in the text 'name'"))?;
        let fields = fields(key)?;
        if let [only] = fields.as_slice()
            && only.is("_id")
        {
            return Ok(None);
        }
        Ok(Some(Self {
            name: name.to_owned(),
            key: key.to_owned(),
            fields,
            unique,
            sparse,
        }))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its fields as the client wrote them.
    #[must_use]
    pub fn key(&self) -> &RawDocument {
        &self.key
    }

    /// As `listIndexes` shows it, and as it is stored.
    #[must_use]
    pub fn to_document(&self) -> RawDocumentBuf {
        let mut document = RawDocumentBuf::new();
        document.append(cstr!("v"), 2);
        document.append(cstr!("key"), &self.key);
        document.append(cstr!("name"), self.name.as_str());
        if self.unique {
            document.append(cstr!("unique"), true);
        }
        if self.sparse {
            document.append(cstr!("sparse"), true);
        }
        document
    }

    /// Whether it is there already.
    ///
    /// # Errors
    /// If what is there stands in its way.
    pub(super) fn is_among(&self, known: &[&Self]) -> Result<bool, DefinitionError> {
        if let Some(same) = known.iter().find(|known| known.name == self.name) {
            return if *same == self {
                Ok(true)
            } else {
                Err(DefinitionError::OtherKey(self.name.clone()))
            };
        }
        match known.iter().find(|known| known.key == self.key) {
            Some(same) => Err(DefinitionError::OtherName(same.name.clone())),
            None => Ok(false),
        }
    }
}

fn fields(key: &RawDocument) -> Result<Vec<Path>, DefinitionError> {
    let mut fields = Vec::new();
    for field in key {
        let (name, direction) = field.map_err(|error| DefinitionError::Malformed(error.to_string()))?;
        let name = name.as_str();
        let ordered = match direction {
            RawBsonRef::Int32(number) => number != 0,
            RawBsonRef::Int64(number) => number != 0,
            RawBsonRef::Double(number) => number != 0.0 && !number.is_nan(),
            _ => false,
        };
        if !ordered
            || name
                .split('.')
                .any(|part| part.is_empty() || part.starts_with('$'))
        {
            return Err(DefinitionError::Malformed(format!(
                "index key '{name}': expected the name of a field, and 1 or -1"
            )));
        }
        fields.push(Path::new(name));
    }
    if fields.is_empty() {
        return Err(DefinitionError::Malformed(
            "index key: expected at least one field".to_owned(),
        ));
    }
    Ok(fields)
}

fn set(value: RawBsonRef<'_>) -> bool {
    matches!(
        value,
        RawBsonRef::Boolean(true) | RawBsonRef::Int32(1) | RawBsonRef::Int64(1)
    ) || value == RawBsonRef::Double(1.0)
}
