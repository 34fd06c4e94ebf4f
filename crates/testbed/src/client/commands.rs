//! The commands that the client sends, as plain OP_MSG.

use bson::{Binary, RawDocumentBuf, raw::CStr, rawdoc, spec::BinarySubtype};

use super::ycsb::Value;
use crate::wire::{Flags, Sequence, encode_msg};

/// Where the documents are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Namespace<'a> {
    pub(super) database: &'a str,
    pub(super) collection: &'a str,
}

/// A whole message with `body` and no sequence.
pub(super) fn message(request_id: i32, body: &RawDocumentBuf) -> Vec<u8> {
    let mut out = Vec::new();
    encode_msg(&mut out, request_id, 0, Flags::default(), body, &[]);
    out
}

/// The handshake. MongoDB wants the driver's and the operating system's names where there is a `client` at all.
pub(super) fn hello() -> RawDocumentBuf {
    rawdoc! {
        "hello": 1,
        "helloOk": true,
        "client": {
            "driver": { "name": "cede-testbed", "version": env!("CARGO_PKG_VERSION") },
            "os": { "type": "Linux" },
        },
        "$db": "admin",
    }
}

pub(super) fn server_status() -> RawDocumentBuf {
    rawdoc! { "serverStatus": 1, "$db": "admin" }
}

pub(super) fn count(namespace: Namespace<'_>) -> RawDocumentBuf {
    rawdoc! { "count": namespace.collection, "$db": namespace.database }
}

pub(super) fn drop(namespace: Namespace<'_>) -> RawDocumentBuf {
    rawdoc! { "drop": namespace.collection, "$db": namespace.database }
}

/// An index over one field, with the name that drivers give it.
pub(super) fn create_index(namespace: Namespace<'_>, field: &CStr) -> RawDocumentBuf {
    let mut key = RawDocumentBuf::new();
    key.append(field, 1);
    rawdoc! {
        "createIndexes": namespace.collection,
        "indexes": [{ "key": key, "name": format!("{}_1", field.as_str()) }],
        "$db": namespace.database,
    }
}

/// The body of an insert, whose documents come as a sequence.
pub(super) fn insert(namespace: Namespace<'_>) -> RawDocumentBuf {
    rawdoc! { "insert": namespace.collection, "ordered": false, "$db": namespace.database }
}

/// Reads the one document whose key is `key`.
pub(super) fn find(request_id: i32, namespace: Namespace<'_>, key: &str) -> Vec<u8> {
    let body = rawdoc! {
        "find": namespace.collection,
        "filter": { "_id": key },
        "limit": 1,
        "singleBatch": true,
        "$db": namespace.database,
    };
    message(request_id, &body)
}

/// Sets one field of the one document whose key is `key`, in the form that drivers use: a sequence of updates.
pub(super) fn update(
    request_id: i32,
    namespace: Namespace<'_>,
    key: &str,
    field: &CStr,
    value: &Value,
) -> Vec<u8> {
    let mut fields = RawDocumentBuf::new();
    let (subtype, bytes) = (BinarySubtype::Generic, value.to_vec());
    fields.append(field, Binary { subtype, bytes });
    let body = rawdoc! { "update": namespace.collection, "ordered": true, "$db": namespace.database };
    let update = rawdoc! { "q": { "_id": key }, "u": { "$set": fields } };
    let updates = Sequence {
        name: "updates",
        documents: vec![&update],
    };
    let mut out = Vec::new();
    encode_msg(&mut out, request_id, 0, Flags::default(), &body, &[updates]);
    out
}
