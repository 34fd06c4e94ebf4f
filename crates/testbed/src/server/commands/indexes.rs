use std::collections::VecDeque;

use bson::{RawBsonRef, RawDocumentBuf, raw::cstr, rawdoc};

use super::{context::Context, cursors, error::CommandError, finish, write::place};
use crate::server::catalog::{Collection, Definition, Index};

/// The index that every collection has.
const BY_ID: &str = "_id_";

pub(super) fn create(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let definitions = context
        .documents("indexes")?
        .into_iter()
        .filter_map(|definition| Definition::parse(definition).transpose())
        .collect::<Result<Vec<_>, _>>()?;
    let services = context.services;
    let added = services
        .catalog
        .add_indexes(services.engine.as_ref(), &namespace, definitions)?;
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("numIndexesBefore"), place(added.before));
    reply.append(cstr!("numIndexesAfter"), place(added.after));
    reply.append(cstr!("createdCollectionAutomatically"), added.made);
    if added.before == added.after {
        reply.append(cstr!("note"), "all indexes already exist");
    }
    Ok(finish(reply))
}

pub(super) fn list(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let collection = context
        .services
        .catalog
        .collection(&namespace)
        .ok_or_else(CommandError::namespace_not_found)?;
    let batch_size = context.batch_size()?;
    cursors::begin(context.services, &namespace, described(&collection), batch_size)
}

fn described(collection: &Collection) -> VecDeque<RawDocumentBuf> {
    let mut indexes = VecDeque::from([rawdoc! { "v": 2, "key": { "_id": 1 }, "name": BY_ID }]);
    indexes.extend(
        collection
            .indexes()
            .iter()
            .map(|index| index.definition().to_document()),
    );
    indexes
}

pub(super) fn drop(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let services = context.services;
    let collection = services
        .catalog
        .collection(&namespace)
        .ok_or_else(CommandError::namespace_not_found)?;
    let indexes = collection.indexes();
    let wanted = context.body().get("index")?;
    let named = |index: &Index| match wanted {
        Some(RawBsonRef::String(name)) => index.definition().name() == name,
        Some(RawBsonRef::Document(key)) => index.definition().key() == key,
        _ => false,
    };
    match wanted {
        Some(RawBsonRef::String(BY_ID)) => {
            return Err(CommandError::invalid_options("cannot drop _id index"));
        }
        Some(RawBsonRef::String("*")) => {
            services
                .catalog
                .remove_indexes(services.engine.as_ref(), &namespace, &|_| true)?;
        }
        Some(RawBsonRef::String(_) | RawBsonRef::Document(_)) => {
            if !indexes.iter().any(|index| named(index)) {
                return Err(CommandError::index_not_found(&shown(wanted)));
            }
            services
                .catalog
                .remove_indexes(services.engine.as_ref(), &namespace, &named)?;
        }
        _ => return Err(CommandError::mismatch("index", "an index's name or key, or '*'")),
    }
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("nIndexesWas"), place(indexes.len() + 1));
    Ok(finish(reply))
}

fn shown(index: Option<RawBsonRef<'_>>) -> String {
    match index {
        Some(RawBsonRef::String(name)) => name.to_owned(),
        Some(RawBsonRef::Document(key)) => {
            bson::Document::try_from(key).map_or_else(|_malformed| String::new(), |key| key.to_string())
        }
        _ => String::new(),
    }
}
