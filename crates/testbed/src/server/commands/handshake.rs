use bson::{DateTime, RawDocumentBuf, raw::cstr, rawdoc};

use super::finish;
use crate::wire::MAX_MESSAGE_BYTES;

/// The server version whose wire version this server speaks: drivers derive what they may send from both.
const COMPATIBLE_VERSION: [i32; 4] = [7, 0, 0, 0];
const MAX_WIRE_VERSION: i32 = 21;
const MAX_DOCUMENT_BYTES: i32 = 16 * 1024 * 1024;
const MAX_WRITE_BATCH: i32 = 100_000;
pub(super) const SESSION_TIMEOUT_MINUTES: i32 = 30;

/// The reply to `hello`, or to one of its legacy names.
///
/// It describes a standalone server. There is no topology version, so drivers poll and open no streaming connection.
pub(super) fn hello(name: Option<&str>) -> RawDocumentBuf {
    let mut reply = RawDocumentBuf::new();
    match name {
        Some("hello") => reply.append(cstr!("isWritablePrimary"), true),
        _ => reply.append(cstr!("ismaster"), true),
    }
    reply.append(cstr!("helloOk"), true);
    reply.append(cstr!("maxBsonObjectSize"), MAX_DOCUMENT_BYTES);
    reply.append(
        cstr!("maxMessageSizeBytes"),
        i32::try_from(MAX_MESSAGE_BYTES).unwrap_or(i32::MAX),
    );
    reply.append(cstr!("maxWriteBatchSize"), MAX_WRITE_BATCH);
    reply.append(cstr!("localTime"), DateTime::now());
    reply.append(cstr!("logicalSessionTimeoutMinutes"), SESSION_TIMEOUT_MINUTES);
    reply.append(cstr!("minWireVersion"), 0);
    reply.append(cstr!("maxWireVersion"), MAX_WIRE_VERSION);
    reply.append(cstr!("readOnly"), false);
    finish(reply)
}

/// The reply to `buildInfo`.
pub(super) fn build_info() -> RawDocumentBuf {
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("version"), version());
    reply.append(
        cstr!("versionArray"),
        COMPATIBLE_VERSION.into_iter().collect::<bson::RawArrayBuf>(),
    );
    reply.append(cstr!("modules"), bson::RawArrayBuf::new());
    reply.append(cstr!("maxBsonObjectSize"), MAX_DOCUMENT_BYTES);
    reply.append(cstr!("cede"), rawdoc! { "version": env!("CARGO_PKG_VERSION") });
    finish(reply)
}

/// The version that this server is compatible with, in text.
pub(super) fn version() -> String {
    let [major, minor, patch, _] = COMPATIBLE_VERSION;
    format!("{major}.{minor}.{patch}")
}

/// Its release series, as parameters name it.
pub(super) fn compatibility() -> String {
    let [major, minor, ..] = COMPATIBLE_VERSION;
    format!("{major}.{minor}")
}
