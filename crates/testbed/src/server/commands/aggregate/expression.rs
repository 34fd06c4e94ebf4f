use bson::{Bson, Document, RawBson, RawBsonRef, RawDocument};

use crate::server::{
    commands::error::CommandError,
    storage::path::{Path, elements},
};

/// How a value is made of a document.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Constant(Bson),
    /// What a path leads to, such as `$address.city`.
    Field(Path),
    Document(Vec<(String, Self)>),
}

impl Expression {
    /// Reads a constant, `"$path"`, `{$literal: value}`, or a document of these.
    pub(super) fn parse(value: RawBsonRef<'_>) -> Result<Self, CommandError> {
        match value {
            RawBsonRef::String(text) => match text.strip_prefix('$') {
                Some(path) if path.is_empty() || path.starts_with('$') => Err(CommandError::bad_value(
                    format!("expression '{text}': expected '$' and the path of a field"),
                )),
                Some(path) => Ok(Self::Field(Path::new(path))),
                None => Ok(Self::Constant(text.into())),
            },
            RawBsonRef::Document(document) => Self::parse_document(document),
            other => Ok(Self::Constant(other.try_into()?)),
        }
    }

    fn parse_document(document: &RawDocument) -> Result<Self, CommandError> {
        let mut fields = Vec::new();
        for field in document {
            let (name, value) = field?;
            match name.as_str() {
                "$literal" => return Ok(Self::Constant(value.try_into()?)),
                operator if operator.starts_with('$') => {
                    return Err(CommandError::bad_value(format!(
                        "Unrecognized expression '{operator}': expected a constant, the path of a field or $literal"
                    )));
                }
                name => fields.push((name.to_owned(), Self::parse(value)?)),
            }
        }
        Ok(Self::Document(fields))
    }

    /// The value for `document`; none where the field is missing.
    pub(super) fn value(&self, document: &RawDocument) -> Result<Option<Bson>, CommandError> {
        match self {
            Self::Constant(value) => Ok(Some(value.clone())),
            Self::Field(path) => along(RawBsonRef::Document(document), path.names()),
            Self::Document(fields) => {
                let mut made = Document::new();
                for (name, expression) in fields {
                    if let Some(value) = expression.value(document)? {
                        made.insert(name, value);
                    }
                }
                Ok(Some(Bson::Document(made)))
            }
        }
    }
}

/// What a path leads to: through an array, the array of what it leads to from each document in it.
fn along(value: RawBsonRef<'_>, path: &[Box<str>]) -> Result<Option<Bson>, CommandError> {
    let Some((name, rest)) = path.split_first() else {
        return Ok(Some(value.try_into()?));
    };
    match value {
        RawBsonRef::Document(document) => match document.get(&**name)? {
            Some(value) => along(value, rest),
            None => Ok(None),
        },
        RawBsonRef::Array(array) => {
            let found = elements(array).map(|element| along(element, path));
            let found: Vec<_> = found.filter_map(Result::transpose).collect::<Result<_, _>>()?;
            Ok(Some(Bson::Array(found)))
        }
        _ => Ok(None),
    }
}

/// A value as it goes into a document.
pub(super) fn raw(value: Bson) -> Result<RawBson, CommandError> {
    Ok(RawBson::try_from(value)?)
}
