mod queues;

use bson::{DateTime, RawDocumentBuf, raw::cstr, rawdoc};

use super::{
    context::Context,
    error::CommandError,
    finish, handshake,
    latencies::{Kind, OperationLatencies},
};
use crate::server::{
    Services,
    status::{CedeStatus, ProcessUsage, resident_mib},
    transport::{TransportCounts, YieldPointCounts},
};

/// The sections that MongoDB's users look at, always with all of their fields, and one of this server's own.
pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let services = context.services;
    let status = CedeStatus::read(services);
    let uptime = services.started.elapsed();
    let mut reply = rawdoc! {
        "host": hostname(),
        "version": handshake::version(),
        "process": "cede",
        "pid": i64::from(std::process::id()),
        "uptime": uptime.as_secs_f64().floor(),
        "uptimeMillis": whole(u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX)),
        "uptimeEstimate": whole(uptime.as_secs()),
        "localTime": DateTime::now(),
    };
    reply.append(cstr!("connections"), connections(services, &status));
    reply.append(cstr!("extra_info"), extra_info(&status));
    reply.append(cstr!("globalLock"), global_lock(services, &status));
    reply.append(
        cstr!("mem"),
        rawdoc! { "bits": 64, "resident": resident_mib(), "supported": true },
    );
    reply.append(cstr!("metrics"), metrics(services));
    reply.append(cstr!("network"), network(services, &status.transport));
    reply.append(cstr!("opLatencies"), latencies(&services.latencies));
    reply.append(cstr!("opcounters"), counters(&services.latencies));
    reply.append(cstr!("queues"), queues::queues(&services.admission));
    reply.append(
        cstr!("wiredTiger"),
        rawdoc! { "concurrentTransactions": queues::concurrent_transactions(&services.admission) },
    );
    reply.append(cstr!("cede"), cede(&status)?);
    Ok(finish(reply))
}

pub(super) fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn connections(services: &Services, status: &CedeStatus) -> RawDocumentBuf {
    let threads = whole(services.executor.threads_running() as u64);
    let limit = crate::descriptors::limit();
    rawdoc! {
        "current": threads,
        "available": whole(limit).saturating_sub(threads).max(0),
        "totalCreated": whole(services.executor.threads_created()),
        "rejected": 0_i64,
        "active": whole(status.active),
        "queuedForEstablishment": 0_i64,
        "establishmentRateLimit": { "rejected": 0_i64, "exempted": 0_i64, "interruptedDueToClientDisconnect": 0_i64 },
        "threaded": threads,
        "limitExempt": 0_i64,
        "exhaustIsMaster": 0_i64,
        "exhaustHello": 0_i64,
        "awaitingTopologyChanges": 0_i64,
        "adminConnections": { "readyThreads": 0_i64, "startingThreads": 0_i64, "threadsRunning": 0_i64 },
        "loadBalanced": 0_i64,
    }
}

fn extra_info(status: &CedeStatus) -> RawDocumentBuf {
    let process = ProcessUsage::read();
    rawdoc! {
        "note": "fields vary by platform",
        "user_time_us": whole(process.user_us),
        "system_time_us": whole(process.system_us),
        "page_faults": whole(process.major_faults),
        "page_reclaims": whole(process.minor_faults),
        "voluntary_context_switches": whole(status.workers.voluntary_switches),
        "involuntary_context_switches": whole(status.workers.involuntary_switches),
    }
}

/// There is no lock and no queue for one.
fn global_lock(services: &Services, status: &CedeStatus) -> RawDocumentBuf {
    let active = whole(status.active);
    rawdoc! {
        "totalTime": whole(u64::try_from(services.started.elapsed().as_micros()).unwrap_or(u64::MAX)),
        "currentQueue": { "total": 0, "readers": 0, "writers": 0 },
        "activeClients": { "total": active, "readers": 0_i64, "writers": 0_i64 },
    }
}

fn metrics(services: &Services) -> RawDocumentBuf {
    let open = whole(services.cursors.count() as u64);
    rawdoc! {
        "cursor": {
            "timedOut": 0_i64,
            "open": { "noTimeout": 0_i64, "pinned": 0_i64, "total": open },
        },
        "operation": { "unsendableCompletedResponses": 0_i64 },
    }
}

fn network(services: &Services, transport: &TransportCounts) -> RawDocumentBuf {
    let threads = whole(services.executor.threads_running() as u64);
    let (bytes_in, bytes_out) = (whole(transport.bytes_in), whole(transport.bytes_out));
    let nothing = || rawdoc! { "compressor": { "bytesIn": 0_i64, "bytesOut": 0_i64 }, "decompressor": { "bytesIn": 0_i64, "bytesOut": 0_i64 } };
    rawdoc! {
        "bytesIn": bytes_in,
        "bytesOut": bytes_out,
        "physicalBytesIn": bytes_in,
        "physicalBytesOut": bytes_out,
        "numSlowDNSOperations": 0_i64,
        "numSlowSSLOperations": 0_i64,
        "numRequests": whole(transport.requests),
        "compression": { "snappy": nothing(), "zstd": nothing(), "zlib": nothing() },
        "serviceExecutors": {
            "passthrough": {
                "threadsRunning": threads,
                "clientsInTotal": threads,
                "clientsRunning": threads,
                "clientsWaitingForData": 0_i64,
            },
            "inline": {
                "threadsRunning": 0_i64,
                "clientsInTotal": 0_i64,
                "clientsRunning": 0_i64,
                "clientsWaitingForData": 0_i64,
            },
        },
    }
}

fn latencies(counted: &OperationLatencies) -> RawDocumentBuf {
    let sum = |kinds: &[Kind]| {
        let totals = kinds.iter().map(|kind| counted.total(*kind));
        let (micros, operations) = totals.fold((0, 0), |(micros, operations), total| {
            (micros + total.micros, operations + total.operations)
        });
        rawdoc! { "latency": whole(micros), "ops": whole(operations) }
    };
    rawdoc! {
        "reads": sum(&[Kind::Query, Kind::GetMore, Kind::OtherRead]),
        "writes": sum(&[Kind::Insert, Kind::Update, Kind::Delete]),
        "commands": sum(&[Kind::Command]),
        "transactions": { "latency": 0_i64, "ops": 0_i64 },
    }
}

/// Commands by kind; one that writes many documents counts once, unlike in MongoDB.
fn counters(counted: &OperationLatencies) -> RawDocumentBuf {
    let operations = |kind| counted.total(kind).operations;
    rawdoc! {
        "insert": whole(operations(Kind::Insert)),
        "query": whole(operations(Kind::Query)),
        "update": whole(operations(Kind::Update)),
        "delete": whole(operations(Kind::Delete)),
        "getmore": whole(operations(Kind::GetMore)),
        "command": whole(operations(Kind::Command) + operations(Kind::OtherRead)),
    }
}

/// This server's own section: what the load client reads, and the same by yield point for people.
fn cede(status: &CedeStatus) -> Result<RawDocumentBuf, CommandError> {
    let mut section = bson::serialize_to_raw_document_buf(status)?;
    let point = |counts: &YieldPointCounts| {
        rawdoc! {
            "calls": whole(counts.calls),
            "skippedByGuard": whole(counts.skipped_by_guard),
            "switched": whole(counts.switched),
            "totalMicros": whole(counts.inside_nanos / 1000),
        }
    };
    let histogram: bson::RawArrayBuf = status
        .histogram
        .iter()
        .map(|(nanos, count)| rawdoc! { "micros": *nanos as f64 / 1e3, "count": whole(*count) })
        .collect();
    let yields = rawdoc! {
        "beforeReceive": point(&status.transport.before_receive),
        "afterSend": point(&status.transport.after_send),
        "histogram": histogram,
    };
    section.append(cstr!("yields"), yields);
    Ok(section)
}

/// BSON has no unsigned numbers.
fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
