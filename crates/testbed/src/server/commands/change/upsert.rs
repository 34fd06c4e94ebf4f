use bson::{Bson, Document, RawBsonRef, RawDocument, RawDocumentBuf};

use super::{action::Action, operators};
use crate::server::{
    commands::{error::CommandError, query::has_operators},
    storage::path::Path,
};

/// The document that a query describes by what it wants to be equal.
pub(super) fn base(query: &RawDocument) -> Result<RawDocumentBuf, CommandError> {
    let mut described = Some(Bson::Document(Document::new()));
    describe(query, &mut described)?;
    match described {
        Some(Bson::Document(document)) => Ok(RawDocumentBuf::try_from(&document)?),
        _ => Ok(RawDocumentBuf::new()),
    }
}

fn describe(query: &RawDocument, described: &mut Option<Bson>) -> Result<(), CommandError> {
    for field in query {
        let (name, value) = field?;
        match (name.as_str(), value) {
            ("$and", RawBsonRef::Array(all)) => {
                for element in all {
                    if let RawBsonRef::Document(query) = element? {
                        describe(query, described)?;
                    }
                }
            }
            (name, _) if name.starts_with('$') => {}
            (path, RawBsonRef::Document(document)) if has_operators(document)? => {
                if let Some(operand) = document.get("$eq")? {
                    set(path, operand, described)?;
                }
            }
            (path, value) => set(path, value, described)?,
        }
    }
    Ok(())
}

fn set(path: &str, value: RawBsonRef<'_>, described: &mut Option<Bson>) -> Result<(), CommandError> {
    let action = Action::Set(operators::owned(value)?);
    *described = operators::act(described.take(), Path::new(path).names(), &action)?;
    Ok(())
}
