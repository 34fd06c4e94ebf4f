use bson::{RawBsonRef, RawDocument, RawDocumentBuf, oid::ObjectId, raw::cstr};

use super::{change, context::Context, error::CommandError, query, write::WriteResult};
use crate::server::{Services, catalog::Duplicate};

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let ordered = context.flag("ordered", true)?;
    let documents = context.documents("documents")?;
    let result = WriteResult::collect(ordered, documents, |_, document| {
        insert(context.services, &namespace, document)?;
        Ok(1)
    });
    Ok(result.reply(|_| ()))
}

/// Inserts the document, with a new `_id` if it has none; gives it as it was inserted if that differs.
pub(super) fn insert(
    services: &Services,
    namespace: &str,
    document: &RawDocument,
) -> Result<Option<RawDocumentBuf>, CommandError> {
    change::checked(document)?;
    let with_id = match document.get("_id")? {
        Some(_) => None,
        None => Some(change::with_id(ObjectId::new(), document)?),
    };
    let inserted = with_id.as_deref().unwrap_or(document);
    let id = inserted.get("_id")?.unwrap_or(RawBsonRef::Null);
    if services
        .documents()
        .insert(namespace, &query::key(id)?, inserted)?
    {
        return Ok(with_id);
    }
    let mut value = RawDocumentBuf::new();
    value.append(cstr!("_id"), id);
    let mut pattern = RawDocumentBuf::new();
    pattern.append(cstr!("_id"), 1);
    Err(Duplicate {
        namespace: namespace.to_owned(),
        index: "_id_".to_owned(),
        pattern,
        value,
    }
    .into())
}
