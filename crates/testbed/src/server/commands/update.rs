use bson::{RawArrayBuf, RawBsonRef, RawDocument, RawDocumentBuf, raw::cstr};

use super::{
    change::Change,
    context::{self, Context},
    error::CommandError,
    modify::{Modified, Statement},
    query::{Filter, Sort},
    write::{self, WriteResult},
};

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let ordered = context.flag("ordered", true)?;
    let mut changed = 0_i32;
    let mut upserted = RawArrayBuf::new();
    let result = WriteResult::collect(ordered, context.documents("updates")?, |index, statement| {
        let modified = update(context, &namespace, statement)?;
        changed = changed.saturating_add(modified.changed);
        let Some(document) = modified.upserted else {
            return Ok(modified.matched);
        };
        let mut entry = RawDocumentBuf::new();
        entry.append(cstr!("index"), write::place(index));
        entry.append(cstr!("_id"), document.get("_id")?.unwrap_or(RawBsonRef::Null));
        upserted.push(entry);
        Ok(1)
    });
    Ok(result.reply(|reply| {
        reply.append(cstr!("nModified"), changed);
        if !upserted.is_empty() {
            reply.append(cstr!("upserted"), upserted);
        }
    }))
}

fn update(context: &Context<'_>, namespace: &str, statement: &RawDocument) -> Result<Modified, CommandError> {
    let query = context::document(statement, "q")?;
    let change = statement
        .get("u")?
        .ok_or_else(|| CommandError::parse("expected the update in the field 'u'"))?;
    let multi = context::flag(statement, "multi", false)?;
    context::refuse(statement, &["arrayFilters", "collation"])?;
    let statement = Statement {
        query,
        filter: Filter::parse(query)?,
        sort: Sort::default(),
        change: Change::parse(change)?,
        upsert: context::flag(statement, "upsert", false)?,
    };
    if !multi {
        return statement.one(context.services, namespace, false);
    }
    if !statement.change.may_be_multi() {
        return Err(CommandError::parse(
            "multi update: expected operators such as $set, not a whole document",
        ));
    }
    statement.all(context.services, namespace)
}
