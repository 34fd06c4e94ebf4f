use std::{fs, time::Duration};

use cede::{
    Policy,
    era::{self, Era},
};
use serde::{Deserialize, Serialize};

use super::{Services, admission::AdmissionStatus, transport::TransportCounts};
use crate::nanos::nanos;

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
    /// Times a request was parked before its dispatch.
    pub parks: u64,
    /// Time parked, in ns.
    pub parked_nanos: u64,
    /// Requests that have begun, as far as the primitive is told of them, and are not parked. Goes up and down.
    #[serde(default)]
    pub active: u64,
    /// How long the oldest of them may take before others hold back, in ns; 0 if nobody watches them. Goes up and down.
    #[serde(default)]
    pub patience_nanos: u64,
    /// What `sched_yield` does on this kernel; by the version alone where nobody had reason to measure it.
    #[serde(default)]
    pub era: String,
    /// Time inside yield points: pairs of a time in ns and how often it was taken.
    pub histogram: Vec<(u64, u64)>,
    /// Time that connection threads which have carried out an operation on a document have lived since, all together, in ns.
    pub worker_wall_nanos: u64,
    /// Their context switches.
    pub workers: SwitchStatus,
    /// CPU time of the background threads, in ns.
    pub background_cpu_nanos: u64,
    /// Work left behind by updates that is due now, in us. Goes up and down.
    pub background_due_micros: f64,
    /// Work that updates did themselves, in us.
    pub background_done_by_updates_micros: f64,
    /// CPU time of the whole process, in ns.
    pub process_cpu_nanos: u64,
    /// Tickets and what the controller has done with them; absent where there is no admission control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admission: Option<AdmissionStatus>,
}

/// Context switches of a group of threads; of more than 128 of them, an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SwitchStatus {
    /// Requests of the whole server when this was read: reading it takes long with many threads, so that other counters
    /// are from another time.
    pub requests: u64,
    /// Context switches because the thread blocked.
    pub voluntary_switches: u64,
    /// Context switches because the thread was preempted or yielded.
    pub involuntary_switches: u64,
}

impl CedeStatus {
    /// Reads all counters of `services`.
    #[must_use]
    pub fn read(services: &Services) -> Self {
        // What is divided by each other is read together, and what takes long comes last.
        let yields = services.executor.domain().snapshot();
        let transport = services.executor.counts();
        let worker_wall = services.workers.wall();
        let process_cpu = process_cpu();
        let background_cpu = services.background.cpu();
        let uptime = services.started.elapsed();
        let admission = services.admission.status();
        let leftovers = services.background.leftovers();
        Self {
            policy: services.executor.domain().policy().to_string(),
            placement: services.executor.plan().placement.to_string(),
            cores: services.executor.plan().cores as u64,
            uptime_nanos: nanos(uptime),
            transport,
            off_cpu_nanos: nanos(yields.off_cpu + yields.parked),
            parks: yields.parks,
            parked_nanos: nanos(yields.parked),
            active: yields.active,
            patience_nanos: nanos(yields.patience),
            era: era(services.executor.domain().policy()).to_string(),
            histogram: yields.histogram.buckets(),
            worker_wall_nanos: nanos(worker_wall),
            background_cpu_nanos: nanos(background_cpu),
            background_due_micros: leftovers.due_us(),
            background_done_by_updates_micros: leftovers.done_by_updates_us(),
            process_cpu_nanos: nanos(process_cpu),
            admission,
            workers: SwitchStatus::read(services),
        }
    }
}

impl SwitchStatus {
    fn read(services: &Services) -> Self {
        let requests = || services.executor.counts().requests;
        let before = requests();
        let switches = services.workers.switches();
        Self {
            requests: before.midpoint(requests()),
            voluntary_switches: switches.voluntary,
            involuntary_switches: switches.involuntary,
        }
    }
}

/// The kernel's era. Measuring it would disturb a server whose policy does not ask for it.
fn era(policy: Policy) -> Era {
    if policy == Policy::Auto {
        return era::try_current().map_or(Era::Unknown, |kernel| kernel.era);
    }
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    version(&release).map_or(Era::Unknown, |(major, minor, patch)| {
        era::by_version(major, minor, patch)
    })
}

/// The x.y.z that a kernel's release begins with.
fn version(release: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch))) => Some((major, minor, patch)),
        _ => None,
    }
}

/// What the process has used so far, as the kernel counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProcessUsage {
    pub(super) user_us: u64,
    pub(super) system_us: u64,
    pub(super) minor_faults: u64,
    pub(super) major_faults: u64,
}

impl ProcessUsage {
    /// Reads it; all zero if the kernel does not tell.
    pub(super) fn read() -> Self {
        fs::read_to_string("/proc/self/stat").map_or_else(|_| Self::default(), |line| Self::parse(&line))
    }

    /// Reads the line of `proc_pid_stat(5)`: what follows the program's name, which may hold spaces and parentheses.
    fn parse(line: &str) -> Self {
        let fields: Vec<u64> = line
            .rsplit_once(") ")
            .map_or("", |(_, fields)| fields)
            .split(' ')
            .map(|field| field.parse().unwrap_or(0))
            .collect();
        let field = |number: usize| fields.get(number - 3).copied().unwrap_or(0);
        let us = |ticks: u64| ticks * 1_000_000 / rustix::param::clock_ticks_per_second().max(1);
        Self {
            user_us: us(field(14)),
            system_us: us(field(15)),
            minor_faults: field(10),
            major_faults: field(12),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_releases() {
        assert_eq!(version("6.12.57+deb13-amd64"), Some((6, 12, 57)));
        assert_eq!(version("6.1"), None);
        assert_eq!(version("next"), None);
    }

    #[test]
    fn the_process_is_read_by_the_numbers_of_the_manual_page() {
        let line = "7 (a ) b) S 1 7 7 0 -1 4194560 11 12 13 14 300 200 0 0 20";
        let ticks = rustix::param::clock_ticks_per_second();
        let expected = ProcessUsage {
            user_us: 300_000_000 / ticks,
            system_us: 200_000_000 / ticks,
            minor_faults: 11,
            major_faults: 13,
        };
        assert_eq!(ProcessUsage::parse(line), expected);
        assert_eq!(ProcessUsage::parse(""), ProcessUsage::default());
    }
}
