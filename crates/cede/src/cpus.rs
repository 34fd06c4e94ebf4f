//! How many CPUs this process may use, as a fraction: half a CPU is a common size for a container.
//!
//! The least of its affinity mask (which the kernel has already cut to the cpuset and to the CPUs that are
//! online) and of every quota between its cgroup and the root of the hierarchy, as far as that can be seen
//! from here. Weights (`cpu.weight`, `cpu.shares`) bound nothing and do not count.
//!
//! [`std::thread::available_parallelism`] reads the same sources and does not do here: it is a whole number,
//! so that a quota of 1.9 CPUs is 1 and one of 0.2 is 1 too. It also looks for cgroup2 at `/sys/fs/cgroup`
//! alone, knows 1024 CPUs, and takes the calling thread's mask, so that the answer would depend on who asks
//! (library/std/src/sys/thread/unix.rs).

mod below;
mod follower;
mod group;
mod mount;
mod quota;

use std::fs;
use std::path::Path;
use std::thread;

pub(crate) use self::follower::Follower;
use self::mount::Mount;
use crate::sys;

/// Units per CPU. The smallest quota that the kernel takes is 1 ms and the longest period 1 s
/// (<https://docs.kernel.org/scheduler/sched-bwc.html>), so that none is less than one unit.
const MILLI: u64 = 1000;

/// Where the answer is found.
///
/// Looking for the mounts costs 15 us where there are 20 and grows with their number, which can be thousands
/// on a host of containers; so it is done once. Read anew each time are the quotas and which cgroup the
/// process is in, since systemd and container runtimes move running processes.
#[derive(Debug)]
pub(crate) struct Supply {
    mounts: Vec<Mount>,
}

impl Supply {
    /// Looks for the cgroup file systems that this process can see. Without any, the mask alone decides.
    pub(crate) fn find() -> Self {
        let mounts = read(Path::new("/proc/self/mountinfo"));
        Self {
            mounts: mounts.map_or_else(Vec::new, |text| mount::parse(&text)),
        }
    }

    /// The CPUs that the process may use right now, above 0. Reads files.
    #[cfg(test)]
    pub(crate) fn available(&self) -> f64 {
        cpus(self.available_milli())
    }

    fn available_milli(&self) -> u64 {
        let allowed = whole_cpus().saturating_mul(MILLI);
        let quota = self.quota_milli().unwrap_or(u64::MAX);
        allowed.min(quota).max(1)
    }

    fn quota_milli(&self) -> Option<u64> {
        if self.mounts.is_empty() {
            return None;
        }
        let group = group::parse(&read(Path::new("/proc/self/cgroup"))?)?;
        quota::tightest_milli(&self.mounts, &group, read)
    }
}

fn cpus(milli: u64) -> f64 {
    milli as f64 / MILLI as f64
}

/// At least 1.
fn whole_cpus() -> u64 {
    let count = sys::process_cpus().or_else(|_| thread::available_parallelism().map(usize::from));
    count.map_or(1, |count| count.max(1) as u64)
}

/// Bytes that are not UTF-8, in the name of somebody else's mount for instance, spoil no more than that name.
fn read(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    )
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;
    use crate::cost::each_ns;

    #[test]
    fn the_supply_is_within_the_mask() {
        let available = Supply::find().available();
        assert!(
            available > 0.0 && available <= cpus(whole_cpus() * MILLI),
            "{available}"
        );
    }

    #[test]
    fn without_cgroups_the_mask_decides() {
        let supply = Supply { mounts: Vec::new() };
        assert_eq!(supply.available_milli(), whole_cpus() * MILLI);
    }

    /// The standard library rounds down, and may not find a quota that is found here.
    #[test]
    fn no_quota_that_the_standard_library_sees_is_missed() {
        let ours = Supply::find().available_milli();
        let theirs = thread::available_parallelism().unwrap().get() as u64;
        assert!(ours < (theirs + 1) * MILLI, "{ours} and {theirs}");
    }

    #[test]
    fn bytes_that_are_no_text_do_not_hide_the_rest() {
        let file = std::env::temp_dir().join(format!("cede-not-utf8-{}", std::process::id()));
        fs::write(&file, b"caf\xe9 max 100000").unwrap();
        let text = read(&file);
        fs::remove_file(&file).unwrap();
        assert!(text.unwrap().ends_with(" max 100000"));
    }

    #[test]
    #[ignore = "prints costs, for the documentation"]
    fn what_a_reading_costs() {
        let supply = Supply::find();
        let follower = Follower::start(0);
        let find = each_ns(200, &|| drop(black_box(Supply::find())));
        let reading = each_ns(200, &|| _ = black_box(supply.available()));
        let cached = each_ns(100_000, &|| _ = black_box(follower.get(black_box(1))));
        let available = supply.available();
        println!("{available} CPUs: find {find} ns, available {reading} ns, get {cached} ns");
        assert!(cached * 10 < reading, "a cache that does not pay");
    }
}
