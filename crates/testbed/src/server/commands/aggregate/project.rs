use bson::{RawBsonRef, RawDocument, RawDocumentBuf, raw::CString};

use super::expression::{Expression, raw};
use crate::server::commands::{error::CommandError, query::Projection};

/// Fields to show or to leave out, and fields to make.
#[derive(Debug)]
pub(super) struct Project {
    shown: Projection,
    made: Vec<(CString, Expression)>,
}

impl Project {
    pub(super) fn parse(fields: &RawDocument) -> Result<Self, CommandError> {
        let mut flags = RawDocumentBuf::new();
        let mut made = Vec::new();
        for field in fields {
            let (name, value) = field?;
            match value {
                RawBsonRef::String(_) | RawBsonRef::Document(_) => {
                    if name.as_str().contains('.') {
                        return Err(CommandError::bad_value(format!(
                            "$project '{}': expected the name of a top-level field for what is made",
                            name.as_str()
                        )));
                    }
                    made.push((name.into(), Expression::parse(value)?));
                }
                flag => flags.append(name, flag),
            }
        }
        if fields.is_empty() {
            return Err(CommandError::bad_value("$project: expected at least one field"));
        }
        let shown = if made.is_empty() {
            Projection::parse(&flags)?
        } else {
            Projection::parse_only(&flags)?
        };
        Ok(Self { shown, made })
    }

    pub(super) fn apply(&self, document: &RawDocument) -> Result<RawDocumentBuf, CommandError> {
        let mut projected = self.shown.apply(document)?;
        for (name, expression) in &self.made {
            if let Some(value) = expression.value(document)? {
                projected.append(name, raw(value)?);
            }
        }
        Ok(projected)
    }
}
