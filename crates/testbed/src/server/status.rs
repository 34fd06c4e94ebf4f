use std::{fs, time::Duration};

use serde::{Deserialize, Serialize};

use super::{Services, threads::Usage, transport::TransportCounts};

/// The `cede` section of `serverStatus`: this server's own counters. All of them only grow, but for what says
/// otherwise; the difference of two tells what happened between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CedeStatus {
    /// The policy at the yield points.
    pub policy: String,
    /// The yield points in use.
    pub placement: String,
    /// CPUs that the guard compares with.
    pub cores: u64,
    /// Time since the server started, in ns.
    pub uptime_nanos: u64,
    /// Requests and yield points.
    pub transport: TransportCounts,
    /// Time off the CPU inside yield points, parks included, in ns.
    pub off_cpu_nanos: u64,
    /// Time inside yield points: pairs of a time in ns and how often it was taken.
    pub histogram: Vec<(u64, u64)>,
    /// The connection threads that have carried out an operation on a document.
    pub workers: ThreadStatus,
    /// CPU time of the background threads, in ns.
    pub background_cpu_nanos: u64,
    /// Work left behind by updates that is due now, in us. Goes up and down.
    pub background_due_micros: f64,
    /// Work that updates did themselves, in us.
    pub background_done_by_updates_micros: f64,
    /// CPU time of the whole process, in ns.
    pub process_cpu_nanos: u64,
}

/// What a group of threads has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadStatus {
    /// Time since they joined the group, in ns.
    pub wall_nanos: u64,
    /// CPU time, in ns.
    pub cpu_nanos: u64,
    /// Time that they were ready to run and had no CPU, in ns.
    pub run_delay_nanos: u64,
    /// Context switches because the thread blocked.
    pub voluntary_switches: u64,
    /// Context switches because the thread was preempted or yielded.
    pub involuntary_switches: u64,
}

impl From<Usage> for ThreadStatus {
    fn from(usage: Usage) -> Self {
        Self {
            wall_nanos: nanos(usage.wall),
            cpu_nanos: nanos(usage.cpu),
            run_delay_nanos: nanos(usage.run_delay),
            voluntary_switches: usage.voluntary,
            involuntary_switches: usage.involuntary,
        }
    }
}

impl CedeStatus {
    /// Reads all counters of `services`.
    #[must_use]
    pub fn read(services: &Services) -> Self {
        let yields = services.executor.domain().snapshot();
        let leftovers = services.background.leftovers();
        Self {
            policy: services.executor.domain().policy().to_string(),
            placement: services.executor.plan().placement.to_string(),
            cores: services.executor.plan().cores as u64,
            uptime_nanos: nanos(services.started.elapsed()),
            transport: services.executor.counts(),
            off_cpu_nanos: nanos(yields.off_cpu),
            histogram: yields.histogram.buckets(),
            workers: services.workers.total().into(),
            background_cpu_nanos: nanos(services.background.cpu()),
            background_due_micros: leftovers.due_us(),
            background_done_by_updates_micros: leftovers.done_by_updates_us(),
            process_cpu_nanos: nanos(process_cpu()),
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn process_cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(now).unwrap_or_default()
}

/// Memory that the process holds, in MiB; 0 if the kernel does not tell.
pub(super) fn resident_mib() -> i64 {
    let pages = fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<i64>().ok())
        .unwrap_or(0);
    let page_bytes = i64::try_from(rustix::param::page_size()).unwrap_or(0);
    pages * page_bytes / (1 << 20)
}
