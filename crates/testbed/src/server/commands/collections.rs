//! Makes, lists and drops collections and databases, and tells their sizes.

use std::collections::{BTreeMap, VecDeque};

use bson::{RawArrayBuf, RawDocumentBuf, raw::cstr, rawdoc};

use super::{
    context::{self, Context},
    cursors,
    error::CommandError,
    finish,
    query::Filter,
    write::place,
};
use crate::server::Services;

pub(super) fn create(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    context::refuse(
        context.body(),
        &[
            "capped",
            "timeseries",
            "viewOn",
            "validator",
            "collation",
            "clusteredIndex",
        ],
    )?;
    let services = context.services;
    let (_, made) = services
        .catalog
        .collection_or_new(services.engine.as_ref(), &namespace)?;
    if made {
        Ok(super::ok())
    } else {
        Err(CommandError::namespace_exists(&namespace))
    }
}

pub(super) fn drop(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let services = context.services;
    let indexes = services.catalog.drop(services.engine.as_ref(), &namespace)?;
    let mut reply = RawDocumentBuf::new();
    // Since 7.0 it is no error to drop what is not there.
    if let Some(indexes) = indexes {
        reply.append(cstr!("nIndexesWas"), place(indexes));
        reply.append(cstr!("ns"), namespace);
    }
    Ok(finish(reply))
}

pub(super) fn drop_database(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let services = context.services;
    for namespace in in_database(services, context.database) {
        services.catalog.drop(services.engine.as_ref(), &namespace)?;
    }
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("dropped"), context.database);
    Ok(finish(reply))
}

pub(super) fn list(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let filter = Filter::parse_matching(context.document("filter")?)?;
    let name_only = context.flag("nameOnly", false)?;
    let mut listed = VecDeque::new();
    for namespace in in_database(context.services, context.database) {
        let name = namespace.split_once('.').map_or("", |(_, name)| name);
        let mut described = rawdoc! { "name": name, "type": "collection" };
        if !name_only {
            described.append(cstr!("options"), RawDocumentBuf::new());
            described.append(cstr!("info"), rawdoc! { "readOnly": false });
            described.append(
                cstr!("idIndex"),
                rawdoc! { "v": 2, "key": { "_id": 1 }, "name": "_id_" },
            );
        }
        if filter.matches(&described) {
            listed.push_back(described);
        }
    }
    let namespace = format!("{}.$cmd.listCollections", context.database);
    cursors::begin(context.services, &namespace, listed, context.batch_size()?)
}

pub(super) fn list_databases(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let filter = Filter::parse_matching(context.document("filter")?)?;
    let name_only = context.flag("nameOnly", false)?;
    let services = context.services;
    let mut databases: BTreeMap<String, u64> = BTreeMap::new();
    for namespace in services.catalog.namespaces() {
        let database = namespace.split_once('.').map_or("", |(database, _)| database);
        *databases.entry(database.to_owned()).or_default() += services.engine.count(&namespace)?;
    }
    let mut listed = RawArrayBuf::new();
    for (name, documents) in databases {
        let mut described = rawdoc! { "name": name };
        if !name_only {
            // Sizes are not kept: only whether there is anything is true of them.
            described.append(cstr!("sizeOnDisk"), 0_i64);
            described.append(cstr!("empty"), documents == 0);
        }
        if filter.matches(&described) {
            listed.push(described);
        }
    }
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("databases"), listed);
    if !name_only {
        reply.append(cstr!("totalSize"), 0_i64);
        reply.append(cstr!("totalSizeMb"), 0_i64);
    }
    Ok(finish(reply))
}

pub(super) fn collection_stats(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let (count, indexes) = stats(context.services, &namespace)?;
    let reply = rawdoc! {
        "ns": namespace,
        "count": count,
        "size": 0_i64,
        "avgObjSize": 0_i64,
        "storageSize": 0_i64,
        "nindexes": indexes,
        "totalIndexSize": 0_i64,
        "capped": false,
        "scaleFactor": 1,
    };
    Ok(finish(reply))
}

pub(super) fn database_stats(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespaces = in_database(context.services, context.database);
    let (mut objects, mut indexes) = (0, 0);
    for namespace in &namespaces {
        let (own_objects, own_indexes) = stats(context.services, namespace)?;
        objects += own_objects;
        indexes += own_indexes;
    }
    let reply = rawdoc! {
        "db": context.database,
        "collections": count(namespaces.len()),
        "views": 0_i64,
        "objects": objects,
        "avgObjSize": 0_i64,
        "dataSize": 0_i64,
        "storageSize": 0_i64,
        "indexes": indexes,
        "indexSize": 0_i64,
        "totalSize": 0_i64,
        "scaleFactor": 1_i64,
    };
    Ok(finish(reply))
}

/// Documents and indexes of a collection.
fn stats(services: &Services, namespace: &str) -> Result<(i64, i64), CommandError> {
    let documents = i64::try_from(services.engine.count(namespace)?).unwrap_or(i64::MAX);
    let collection = services.catalog.collection(namespace);
    Ok((
        documents,
        collection.map_or(0, |collection| count(collection.indexes().len() + 1)),
    ))
}

fn in_database(services: &Services, database: &str) -> Vec<String> {
    let of_it = |namespace: &String| {
        namespace
            .split_once('.')
            .is_some_and(|(name, _)| name == database)
    };
    services.catalog.namespaces().into_iter().filter(of_it).collect()
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
