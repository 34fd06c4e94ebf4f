use bson::{RawBson, RawBsonRef, RawDocument, RawDocumentBuf, raw::cstr};

use super::{
    change::Change,
    context::{self, Context},
    delete,
    error::CommandError,
    finish,
    modify::{Modified, Statement},
    query::{Filter, Projection, Sort},
};

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    context::refuse(context.body(), &["arrayFilters", "collation"])?;
    let query = context.document("query")?;
    let filter = Filter::parse(query)?;
    let sort = Sort::parse(context.document("sort")?)?;
    let projection = Projection::parse(context.document("fields")?)?;
    let remove = context.flag("remove", false)?;
    let new = context.flag("new", false)?;
    let upsert = context.flag("upsert", false)?;
    match context.body().get("update")? {
        None if remove && !new && !upsert => {
            let removed = delete::first(context.services, &namespace, &filter, &sort)?;
            let mut outcome = RawDocumentBuf::new();
            outcome.append(cstr!("n"), i32::from(removed.is_some()));
            reply(outcome, removed.as_deref(), &projection)
        }
        Some(update) if !remove => {
            let statement = Statement {
                query,
                filter,
                sort,
                change: Change::parse(update)?,
                upsert,
            };
            let modified = statement.one(context.services, &namespace, true)?;
            updated(&modified, new, &projection)
        }
        _ => Err(CommandError::parse(
            "expected either an update, or remove: true without new and upsert",
        )),
    }
}

fn updated(modified: &Modified, new: bool, projection: &Projection) -> Result<RawDocumentBuf, CommandError> {
    let mut outcome = RawDocumentBuf::new();
    let inserted = modified.upserted.as_deref();
    outcome.append(cstr!("n"), i32::from(modified.matched > 0 || inserted.is_some()));
    outcome.append(cstr!("updatedExisting"), modified.matched > 0);
    if let Some(inserted) = inserted {
        outcome.append(
            cstr!("upserted"),
            inserted.get("_id")?.unwrap_or(RawBsonRef::Null),
        );
    }
    let shown = match &modified.images {
        Some(images) if new => Some(&*images.after),
        Some(images) => Some(&*images.before),
        None if new => inserted,
        None => None,
    };
    reply(outcome, shown, projection)
}

fn reply(
    outcome: RawDocumentBuf,
    shown: Option<&RawDocument>,
    projection: &Projection,
) -> Result<RawDocumentBuf, CommandError> {
    let value = match shown {
        Some(document) => RawBson::Document(projection.apply(document)?),
        None => RawBson::Null,
    };
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("lastErrorObject"), outcome);
    reply.append(cstr!("value"), value);
    Ok(finish(reply))
}
