use bson::{RawDocument, RawDocumentBuf, raw::cstr};

use super::{
    context::{self, Context},
    error::CommandError,
    filter::Filter,
    set::Set,
    write::{WriteFailure, WriteResult},
};
use crate::server::storage::{StorageError, Updated};

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let ordered = context.flag("ordered", true)?;
    let mut modified = 0_i32;
    let result = WriteResult::collect(ordered, context.documents("updates")?, |statement| {
        let updated = update(context, &namespace, statement)?;
        modified = modified.saturating_add(i32::from(updated == Updated::Changed));
        Ok(i32::from(updated != Updated::Missing))
    });
    Ok(result.reply(|reply| reply.append(cstr!("nModified"), modified)))
}

fn update(context: &Context<'_>, namespace: &str, statement: &RawDocument) -> Result<Updated, WriteFailure> {
    let Filter::Id(key) = Filter::parse(context::document(statement, "q")?)? else {
        return Err(
            CommandError::bad_value("this server updates by _id: expected the filter {_id: value}").into(),
        );
    };
    if statement.get_bool("upsert").unwrap_or(false) {
        return Err(
            CommandError::bad_value("upsert: expected false, this server does not insert on update").into(),
        );
    }
    let update = statement
        .get("u")?
        .ok_or_else(|| CommandError::parse("expected the update in the field 'u'"))?;
    let set = Set::parse(update)?;
    let updated = context.services.engine.update(namespace, &key, &|document| {
        set.apply(document).map_err(StorageError::from)
    })?;
    context.services.background.leftovers().leave();
    Ok(updated)
}
