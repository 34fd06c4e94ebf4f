//! The catalog as documents of the engine: one for each collection.

use std::{ops::ControlFlow, sync::Arc};

use bson::{RawArrayBuf, RawBsonRef, RawDocument, RawDocumentBuf, raw::cstr};

use super::{definition::Definition, index::Index};
use crate::server::storage::{DocumentKey, Engine, StorageError, Updated};

/// Where it is kept. Without a dot, so that no client can name it.
const NAMESPACE: &str = "catalog";

/// What is stored: names of collections, and the definitions of their indexes.
pub(super) fn read(engine: &dyn Engine) -> Result<Vec<(String, Vec<Definition>)>, StorageError> {
    let mut collections = Vec::new();
    engine.scan(NAMESPACE, &mut |document| {
        if let Ok(namespace) = document.get_str("_id") {
            collections.push((namespace.to_owned(), definitions(document)));
        }
        ControlFlow::Continue(())
    })?;
    Ok(collections)
}

fn definitions(document: &RawDocument) -> Vec<Definition> {
    let Ok(indexes) = document.get_array("indexes") else {
        return Vec::new();
    };
    let documents = indexes.into_iter().filter_map(|index| index.ok()?.as_document());
    documents
        .filter_map(|document| Definition::parse(document).ok().flatten())
        .collect()
}

pub(super) fn write(
    engine: &dyn Engine,
    namespace: &str,
    indexes: &[Arc<Index>],
) -> Result<(), StorageError> {
    let Some(key) = key(engine, namespace) else {
        return Ok(());
    };
    let mut definitions = RawArrayBuf::new();
    for index in indexes {
        definitions.push(index.definition().to_document());
    }
    let mut document = RawDocumentBuf::new();
    document.append(cstr!("_id"), namespace);
    document.append(cstr!("indexes"), definitions);
    if engine.update(NAMESPACE, &key, &|_| Ok(Some(document.clone())))? == Updated::Missing {
        engine.insert(NAMESPACE, &key, &document)?;
    }
    Ok(())
}

pub(super) fn remove(engine: &dyn Engine, namespace: &str) -> Result<(), StorageError> {
    if let Some(key) = key(engine, namespace) {
        engine.delete(NAMESPACE, &key)?;
    }
    Ok(())
}

/// The key of a collection's document; none where nothing is kept.
fn key(engine: &dyn Engine, namespace: &str) -> Option<DocumentKey> {
    engine
        .keeps_documents()
        .then(|| DocumentKey::new(RawBsonRef::String(namespace)))
        .flatten()
}
