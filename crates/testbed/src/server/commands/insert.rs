use bson::{RawBsonRef, RawDocument, RawDocumentBuf, oid::ObjectId, raw::cstr};

use super::{
    context::Context,
    error::CommandError,
    filter,
    write::{WriteFailure, WriteResult},
};

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let ordered = context.flag("ordered", true)?;
    let documents = context.documents("documents")?;
    let result = WriteResult::collect(ordered, documents, |document| {
        insert(context, &namespace, document)
    });
    Ok(result.reply(|_| ()))
}

fn insert(context: &Context<'_>, namespace: &str, document: &RawDocument) -> Result<i32, WriteFailure> {
    let with_id;
    let (document, id) = if let Some(id) = document.get("_id")? {
        (document, id)
    } else {
        with_id = add_id(document)?;
        let id = with_id.get("_id")?.unwrap_or(RawBsonRef::Null);
        (&*with_id, id)
    };
    if context
        .services
        .engine
        .insert(namespace, &filter::key(id)?, document)?
    {
        return Ok(1);
    }
    let mut key = RawDocumentBuf::new();
    key.append(cstr!("_id"), id);
    Err(WriteFailure::duplicate(namespace, key))
}

/// The document with a new `_id` as its first field, for clients that leave it to the server.
fn add_id(document: &RawDocument) -> Result<RawDocumentBuf, CommandError> {
    let mut with_id = RawDocumentBuf::new();
    with_id.append(cstr!("_id"), ObjectId::new());
    for field in document {
        let (name, value) = field?;
        with_id.append(name, value);
    }
    Ok(with_id)
}
