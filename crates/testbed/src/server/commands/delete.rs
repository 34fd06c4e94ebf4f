use std::ops::ControlFlow;

use bson::{RawDocument, RawDocumentBuf, raw::cstr};

use super::{
    context::{self, Context},
    error::CommandError,
    filter::{self, Filter},
    finish,
    write::{WriteFailure, WriteResult},
};
use crate::server::storage::DocumentKey;

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let ordered = context.flag("ordered", true)?;
    let statements = context.documents("deletes")?;
    let result = WriteResult::collect(ordered, statements, |statement| {
        delete(context, &namespace, statement)
    });
    Ok(result.reply(|_| ()))
}

fn delete(context: &Context<'_>, namespace: &str, statement: &RawDocument) -> Result<i32, WriteFailure> {
    let engine = &context.services.engine;
    let limit = match statement.get("limit")? {
        Some(limit) => context::integer("limit", limit)?,
        None => {
            return Err(CommandError::parse("expected the field 'limit': 0 for all documents, or 1").into());
        }
    };
    match (Filter::parse(context::document(statement, "q")?)?, limit) {
        (Filter::Id(key), 0 | 1) => Ok(i32::from(engine.delete(namespace, &key)?)),
        (Filter::All, 0) => Ok(i32::try_from(engine.clear(namespace)?).unwrap_or(i32::MAX)),
        (Filter::All, 1) => loop {
            let Some(key) = any_key(context, namespace)? else {
                return Ok(0);
            };
            // Another thread may have deleted it in the meantime; then there may be others.
            if engine.delete(namespace, &key)? {
                return Ok(1);
            }
        },
        (_, other) => {
            Err(CommandError::parse(format!("limit {other}: expected 0 for all documents, or 1")).into())
        }
    }
}

fn any_key(context: &Context<'_>, namespace: &str) -> Result<Option<DocumentKey>, CommandError> {
    let mut key = Ok(None);
    context.services.engine.scan(namespace, &mut |document| {
        key = id(document).and_then(|id| filter::key(id).map(Some));
        ControlFlow::Break(())
    })?;
    key
}

fn id(document: &RawDocument) -> Result<bson::RawBsonRef<'_>, CommandError> {
    document
        .get("_id")?
        .ok_or_else(|| CommandError::bad_value("a stored document has no _id"))
}

pub(super) fn drop_collection(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    context.services.engine.clear(&namespace)?;
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("ns"), namespace);
    Ok(finish(reply))
}
