//! How many documents match, and which values they have.

use std::{collections::BTreeMap, ops::ControlFlow};

use bson::{RawArrayBuf, RawBson, RawBsonRef, RawDocumentBuf, raw::cstr};

use super::{
    change::MAX_DOCUMENT_BYTES,
    context::{self, Context},
    error::CommandError,
    finish,
    query::{self, Filter},
    whole,
};
use crate::server::storage::{order, path::Path};

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    context::refuse(context.body(), &["collation"])?;
    let skip = context.natural("skip")?.unwrap_or(0);
    let limit = match context.integer("limit")?.map_or(0, i64::unsigned_abs) {
        0 => u64::MAX,
        limit => limit,
    };
    let counted = match Filter::parse(context.document("query")?)? {
        Filter::All => context.services.engine.count(&namespace)?,
        filter => {
            let mut counted: u64 = 0;
            query::each(context.services, &namespace, &filter, &mut |_| {
                counted += 1;
                Ok(if counted.saturating_sub(skip) == limit {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            })?;
            counted
        }
    };
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("n"), whole(counted.saturating_sub(skip).min(limit)));
    Ok(finish(reply))
}

pub(super) fn distinct(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    context::refuse(context.body(), &["collation"])?;
    let field = context
        .body()
        .get_str("key")
        .map_err(|_absent| CommandError::mismatch("key", "the path of a field"))?;
    let path = Path::new(field);
    let filter = Filter::parse(context.document("query")?)?;
    let mut values: BTreeMap<Vec<u8>, RawBson> = BTreeMap::new();
    let mut bytes = 0;
    query::each(context.services, &namespace, &filter, &mut |document| {
        path.any_element(RawBsonRef::Document(document), &mut |found| {
            // An array stands for its elements alone.
            if let Some(value) = found.filter(|value| value.as_array().is_none()) {
                let key = order::encoded(value);
                bytes += key.len();
                values.entry(key).or_insert_with(|| value.into());
            }
            false
        });
        if bytes > MAX_DOCUMENT_BYTES {
            return Err(CommandError::too_large(MAX_DOCUMENT_BYTES));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let mut listed = RawArrayBuf::new();
    for value in values.into_values() {
        listed.push(value);
    }
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("values"), listed);
    Ok(finish(reply))
}
