use bson::{DateTime, RawDocumentBuf, rawdoc};

use super::{context::Context, error::CommandError, finish, handshake};
use crate::server::status::{CedeStatus, resident_mib};

/// The sections that MongoDB's users look at, and one of this server's own.
pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let services = context.services;
    let status = CedeStatus::read(services);
    let threads = whole(services.executor.threads_running() as u64);
    let cede = bson::serialize_to_raw_document_buf(&status)?;
    let reply = rawdoc! {
        "host": hostname(),
        "version": handshake::version(),
        "process": "cede",
        "pid": i64::from(std::process::id()),
        "uptime": services.started.elapsed().as_secs_f64().floor(),
        "localTime": DateTime::now(),
        "connections": {
            "current": threads,
            "totalCreated": whole(services.executor.threads_created()),
            "threaded": threads,
        },
        "network": {
            "bytesIn": whole(status.transport.bytes_in),
            "bytesOut": whole(status.transport.bytes_out),
            "numRequests": whole(status.transport.requests),
            "serviceExecutors": {
                "passthrough": {
                    "threadsRunning": threads,
                    "clientsInTotal": threads,
                    "clientsRunning": threads,
                    "clientsWaitingForData": 0_i64,
                },
            },
        },
        "extra_info": {
            "voluntary_context_switches": whole(status.workers.voluntary_switches),
            "involuntary_context_switches": whole(status.workers.involuntary_switches),
        },
        "mem": { "resident": resident_mib() },
        "cede": cede,
    };
    Ok(finish(reply))
}

fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// BSON has no unsigned numbers.
fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
