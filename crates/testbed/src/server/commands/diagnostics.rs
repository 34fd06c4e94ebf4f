//! What drivers and shells ask about a server when they connect.

use bson::{Binary, DateTime, RawArrayBuf, RawDocumentBuf, raw::cstr, rawdoc, spec::BinarySubtype};

use super::{context::Context, error::CommandError, finish, server_status::hostname};

/// Who the client is: nobody, since there is no authentication.
pub(super) fn connection_status() -> RawDocumentBuf {
    let reply = rawdoc! {
        "authInfo": {
            "authenticatedUsers": RawArrayBuf::new(),
            "authenticatedUserRoles": RawArrayBuf::new(),
            "authenticatedUserPrivileges": RawArrayBuf::new(),
        },
    };
    finish(reply)
}

/// Operations under way: none are listed.
pub(super) fn current_op() -> RawDocumentBuf {
    finish(rawdoc! { "inprog": RawArrayBuf::new() })
}

pub(super) fn command_line() -> RawDocumentBuf {
    let arguments: RawArrayBuf = std::env::args().collect();
    finish(rawdoc! { "argv": arguments, "parsed": {} })
}

/// The log is kept nowhere: its kinds are empty.
pub(super) fn log(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let kinds = ["global", "startupWarnings"];
    match context.body().get_str(context.name) {
        Ok("*") => Ok(finish(
            rawdoc! { "names": kinds.into_iter().collect::<RawArrayBuf>() },
        )),
        Ok(kind) if kinds.contains(&kind) => Ok(finish(
            rawdoc! { "totalLinesWritten": 0, "log": RawArrayBuf::new() },
        )),
        _ => Err(CommandError::bad_value(
            "getLog: expected '*', 'global' or 'startupWarnings'",
        )),
    }
}

pub(super) fn host_info() -> RawDocumentBuf {
    let uname = rustix::system::uname();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let reply = rawdoc! {
        "system": {
            "currentTime": DateTime::now(),
            "hostname": hostname(),
            "cpuAddrSize": 64,
            "numCores": i32::try_from(cores).unwrap_or(i32::MAX),
            "cpuArch": uname.machine().to_string_lossy().into_owned(),
            "numaEnabled": false,
        },
        "os": {
            "type": "Linux",
            "name": "Linux",
            "version": uname.release().to_string_lossy().into_owned(),
        },
        "extra": {},
    };
    finish(reply)
}

/// A number for a logical session. Sessions are taken along, and mean nothing here.
pub(super) fn start_session() -> RawDocumentBuf {
    let id = Binary {
        subtype: BinarySubtype::Uuid,
        bytes: rand::random::<[u8; 16]>().to_vec(),
    };
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("id"), rawdoc! { "id": id });
    reply.append(cstr!("timeoutMinutes"), super::handshake::SESSION_TIMEOUT_MINUTES);
    finish(reply)
}

/// The client's address. It is always on this host; the port is known to the transport alone.
pub(super) fn whats_my_uri() -> RawDocumentBuf {
    finish(rawdoc! { "you": "127.0.0.1:0" })
}
