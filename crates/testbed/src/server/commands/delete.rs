use bson::{RawDocument, RawDocumentBuf};

use super::{
    context::{self, Context},
    error::CommandError,
    modify,
    query::{Filter, Sort},
    write::WriteResult,
};
use crate::server::{Services, storage::DocumentKey};

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let ordered = context.flag("ordered", true)?;
    let statements = context.documents("deletes")?;
    let result = WriteResult::collect(ordered, statements, |_, statement| {
        delete(context, &namespace, statement)
    });
    Ok(result.reply(|_| ()))
}

fn delete(context: &Context<'_>, namespace: &str, statement: &RawDocument) -> Result<i32, CommandError> {
    let limit = match statement.get("limit")? {
        Some(limit) => context::integer("limit", limit)?,
        None => {
            return Err(CommandError::parse(
                "expected the field 'limit': 0 for all documents, or 1",
            ));
        }
    };
    context::refuse(statement, &["collation"])?;
    let filter = Filter::parse(context::document(statement, "q")?)?;
    let services = context.services;
    match (limit, &filter) {
        (0 | 1, Filter::Id(key)) => Ok(i32::from(at(services, namespace, key, &filter)?.is_some())),
        (0, Filter::All) => {
            let removed = services.documents().clear(namespace)?;
            Ok(i32::try_from(removed).unwrap_or(i32::MAX))
        }
        (0, Filter::Matching(_)) => {
            let mut removed = 0;
            for key in modify::keys(services, namespace, &filter)? {
                removed += i32::from(at(services, namespace, &key, &filter)?.is_some());
            }
            Ok(removed)
        }
        (1, _) => Ok(i32::from(
            first(services, namespace, &filter, &Sort::default())?.is_some(),
        )),
        (other, _) => Err(CommandError::parse(format!(
            "limit {other}: expected 0 for all documents, or 1"
        ))),
    }
}

/// Removes the document that matches and comes first; gives it.
pub(super) fn first(
    services: &Services,
    namespace: &str,
    filter: &Filter,
    sort: &Sort,
) -> Result<Option<RawDocumentBuf>, CommandError> {
    // Another thread may have removed or changed what was found; then there may be others.
    while let Some(key) = modify::first_key(services, namespace, filter, sort)? {
        if let Some(removed) = at(services, namespace, &key, filter)? {
            return Ok(Some(removed));
        }
    }
    Ok(None)
}

/// Removes the document with this key, if it matches; gives it.
fn at(
    services: &Services,
    namespace: &str,
    key: &DocumentKey,
    filter: &Filter,
) -> Result<Option<RawDocumentBuf>, CommandError> {
    let mut found = None;
    let removed = services.documents().delete_if(namespace, key, &mut |document| {
        let wanted = filter.matches(document) || !services.engine.keeps_documents();
        found = wanted.then(|| document.to_owned());
        wanted
    })?;
    Ok(found.filter(|_| removed))
}
