//! Counting: the command of that name, and the one pipeline that drivers send for it.

use bson::{RawArrayBuf, RawBsonRef, RawDocument, RawDocumentBuf, raw::cstr};

use super::{context::Context, error::CommandError, filter::Filter, find::cursor_reply, finish};

pub(super) fn count(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let n = count_matching(context, &namespace, context.document("query")?)?;
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("n"), whole(n));
    Ok(finish(reply))
}

/// Answers `[{$match: filter}, {$group: {_id: 1, n: {$sum: 1}}}]`, which is what drivers make of `countDocuments`.
pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let filter = counting_filter(context)?;
    let n = count_matching(context, &namespace, filter)?;
    let mut batch = RawArrayBuf::new();
    // No documents make no group.
    if n > 0 {
        let mut group = RawDocumentBuf::new();
        group.append(cstr!("_id"), 1);
        group.append(cstr!("n"), whole(n));
        batch.push(group);
    }
    Ok(cursor_reply(&namespace, batch))
}

fn counting_filter<'a>(context: &Context<'a>) -> Result<&'a RawDocument, CommandError> {
    let expected = || {
        CommandError::bad_value(
            "this server aggregates to count only: expected [{$match: filter}, {$group: {_id: 1, n: {$sum: 1}}}]",
        )
    };
    let stages = context
        .body()
        .get_array("pipeline")
        .map_err(|_absent| expected())?;
    let stages: Vec<_> = stages
        .into_iter()
        .filter_map(|stage| stage.ok()?.as_document())
        .collect();
    let [matching, group] = stages.as_slice() else {
        return Err(expected());
    };
    let group = group.get_document("$group").map_err(|_absent| expected())?;
    let sum = group
        .get_document("n")
        .ok()
        .and_then(|n| n.get("$sum").ok().flatten());
    match sum {
        Some(RawBsonRef::Int32(1)) => matching.get_document("$match").map_err(|_absent| expected()),
        _ => Err(expected()),
    }
}

fn count_matching(context: &Context<'_>, namespace: &str, filter: &RawDocument) -> Result<u64, CommandError> {
    let engine = &context.services.engine;
    match Filter::parse(filter)? {
        Filter::All => Ok(engine.count(namespace)?),
        Filter::Id(key) => Ok(u64::from(engine.find(namespace, &key, &mut |_| ())?)),
    }
}

/// As MongoDB does: a 32-bit number where it fits.
fn whole(n: u64) -> bson::RawBson {
    i32::try_from(n).map_or_else(
        |_large| bson::RawBson::Int64(i64::try_from(n).unwrap_or(i64::MAX)),
        bson::RawBson::Int32,
    )
}
