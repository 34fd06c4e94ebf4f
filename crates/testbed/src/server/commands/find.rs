use std::ops::ControlFlow;

use bson::{RawArrayBuf, RawDocument, RawDocumentBuf, raw::cstr};

use super::{context::Context, error::CommandError, filter::Filter, finish};

/// Documents of one reply: MongoDB's limit for a document, which the reply is. There are no cursors to continue with.
const MAX_BATCH_BYTES: usize = 16 * 1024 * 1024;

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let engine = &context.services.engine;
    let mut batch = RawArrayBuf::new();
    match Filter::parse(context.document("filter")?)? {
        Filter::Id(key) => {
            engine.find(&namespace, &key, &mut |document| batch.push(document))?;
        }
        Filter::All => all(context, &namespace, &mut batch)?,
    }
    Ok(cursor_reply(&namespace, batch))
}

/// Every document up to the limit, in one batch.
fn all(context: &Context<'_>, namespace: &str, batch: &mut RawArrayBuf) -> Result<(), CommandError> {
    // A negative limit means the same number, without a cursor.
    let limit = context.integer("limit")?.map_or(0, i64::unsigned_abs);
    let (mut found, mut bytes) = (0, 0);
    let mut too_large = false;
    context
        .services
        .engine
        .scan(namespace, &mut |document: &RawDocument| {
            bytes += document.as_bytes().len();
            too_large = bytes > MAX_BATCH_BYTES;
            if too_large {
                return ControlFlow::Break(());
            }
            batch.push(document);
            found += 1;
            if found == limit {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
    if too_large {
        return Err(CommandError::bad_value(format!(
            "the documents are larger than {MAX_BATCH_BYTES} bytes together: expected a smaller limit"
        )));
    }
    Ok(())
}

/// A reply with a cursor that is already at its end.
pub(super) fn cursor_reply(namespace: &str, batch: RawArrayBuf) -> RawDocumentBuf {
    let mut cursor = RawDocumentBuf::new();
    cursor.append(cstr!("firstBatch"), batch);
    cursor.append(cstr!("id"), 0_i64);
    cursor.append(cstr!("ns"), namespace);
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("cursor"), cursor);
    finish(reply)
}
