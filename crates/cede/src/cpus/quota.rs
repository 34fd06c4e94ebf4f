//! Quotas: how much CPU time a cgroup may use per period, in thousandths of a CPU.

use std::path::Path;

use super::MILLI;
use super::group::{Group, Version};
use super::mount::Mount;

/// The tightest quota on the way from the group to the root, in milli-CPUs; `None` if nothing limits it.
///
/// Every one of them has to be looked at: a group may have been given more than those above it have. A file
/// that is not there limits nothing; the root of a hierarchy has none, nor has a cgroup2 group whose parent
/// keeps the controller to itself. All mounts count, since one may show what another does not.
pub(super) fn tightest_milli(
    mounts: &[Mount],
    group: &Group,
    read: impl Fn(&Path) -> Option<String>,
) -> Option<u64> {
    let quota = |directory: &Path| match group.version {
        Version::V1 => {
            let quota = read(&directory.join("cpu.cfs_quota_us"))?;
            // Most groups have none, which spares reading the period.
            let quota_us = number(&quota)?;
            milli(quota_us, number(&read(&directory.join("cpu.cfs_period_us"))?)?)
        }
        Version::V2 => cpu_max(&read(&directory.join("cpu.max"))?),
    };
    mounts
        .iter()
        .flat_map(|mount| mount.directories(group))
        .filter_map(|directory| quota(&directory))
        .min()
}

/// cgroup2's `cpu.max`: `QUOTA PERIOD` in microseconds, or `max PERIOD`.
/// <https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files>
fn cpu_max(text: &str) -> Option<u64> {
    let (quota, period) = text.trim().split_once(' ')?;
    milli(number(quota)?, number(period)?)
}

/// `None` for the words that mean "no limit": `max` in cgroup2 and -1 in v1.
/// <https://docs.kernel.org/scheduler/sched-bwc.html>
fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// Rounded up, so that a quota is never taken for nothing at all.
fn milli(quota_us: u64, period_us: u64) -> Option<u64> {
    if quota_us == 0 || period_us == 0 {
        return None;
    }
    Some(quota_us.saturating_mul(MILLI).div_ceil(period_us))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{group, mount};
    use super::*;

    /// What the files say in a system with these, and nothing else.
    fn tightest(mountinfo: &str, cgroup: &str, files: &[(&str, &str)]) -> Option<u64> {
        let read = |path: &Path| {
            let file = files.iter().find(|(name, _)| Path::new(name) == path)?;
            Some(file.1.to_owned())
        };
        tightest_milli(&mount::parse(mountinfo), &group::parse(cgroup)?, read)
    }

    const CGROUP2: &str =
        "33 22 0:27 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn each_form_of_cpu_max() {
        let table = [
            ("max 100000\n", None),
            ("50000 100000\n", Some(500)),
            ("150000 100000\n", Some(1500)),
            ("100000 100000", Some(1000)),
            // The least that the kernel takes.
            ("1000 1000000\n", Some(1)),
            ("1000 999999\n", Some(2)),
            ("18446744073709551615 1\n", Some(u64::MAX)),
            ("100000 0\n", None),
            ("0 100000\n", None),
            ("-1 100000\n", None),
            ("100000\n", None),
            ("", None),
            ("one two", None),
        ];
        for (text, expected) in table {
            assert_eq!(cpu_max(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_tightest_level_counts_wherever_it_is() {
        let cgroup = "0::/kubepods.slice/pod1.slice/cri-77aa.scope\n";
        let leaf = "/sys/fs/cgroup/kubepods.slice/pod1.slice/cri-77aa.scope/cpu.max";
        let pod = "/sys/fs/cgroup/kubepods.slice/pod1.slice/cpu.max";
        let pods = "/sys/fs/cgroup/kubepods.slice/cpu.max";
        for tight in [leaf, pod, pods] {
            let files = [leaf, pod, pods].map(|file| {
                let text = if file == tight {
                    "70000 100000\n"
                } else {
                    "200000 100000\n"
                };
                (file, text)
            });
            assert_eq!(tightest(CGROUP2, cgroup, &files), Some(700), "{tight}");
        }
        let unlimited = [leaf, pod, pods].map(|file| (file, "max 100000\n"));
        assert_eq!(tightest(CGROUP2, cgroup, &unlimited), None);
        // The controller is not passed down to the leaf, and the root never has the file.
        assert_eq!(tightest(CGROUP2, cgroup, &[(pod, "25000 100000\n")]), Some(250));
    }

    #[test]
    fn a_container_in_a_namespace_of_its_own_reads_the_mount_point() {
        let files = [("/sys/fs/cgroup/cpu.max", "150000 100000\n")];
        assert_eq!(tightest(CGROUP2, "0::/\n", &files), Some(1500));
        // Docker in Docker moves its processes one down.
        assert_eq!(tightest(CGROUP2, "0::/init\n", &files), Some(1500));
    }

    #[test]
    fn a_container_in_its_hosts_namespace_reads_below_its_own_root() {
        let mounts = "9 8 0:33 /docker/4f1c /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n";
        let files = [
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ];
        assert_eq!(
            tightest(mounts, "4:cpu,cpuacct:/docker/4f1c\n0::/\n", &files),
            Some(2500)
        );
    }

    #[test]
    fn a_hybrid_system_is_read_where_the_controller_is() {
        let mounts = "\
32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
";
        let files = [
            ("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n"),
            ("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"),
            ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "30000\n"),
            ("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
            ("/sys/fs/cgroup/unified/a/cpu.max", "10000 100000\n"),
        ];
        assert_eq!(tightest(mounts, "1:cpu:/a\n0::/a\n", &files), Some(300));
        assert_eq!(tightest(mounts, "1:name=systemd:/a\n0::/a\n", &files), Some(100));
    }

    #[test]
    fn a_second_mount_shows_what_the_first_does_not() {
        let mounts = format!("{CGROUP2}44 22 0:27 /.. /host/cgroup rw - cgroup2 cgroup2 rw\n");
        let own = ("/sys/fs/cgroup/cpu.max", "200000 100000\n");
        let above = ("/host/cgroup/cpu.max", "120000 100000\n");
        assert_eq!(tightest(&mounts, "0::/\n", &[own, above]), Some(1200));
        assert_eq!(tightest(&mounts, "0::/\n", &[own]), Some(2000));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            let _ = cpu_max(&text);
        }

        #[test]
        fn a_quota_is_told_to_the_thousandth(quota in 1_000_u64..1 << 40, period in 1_000_u64..=1_000_000) {
            let told = cpu_max(&format!("{quota} {period}\n")).unwrap();
            prop_assert!(told * period >= quota * MILLI && (told - 1) * period < quota * MILLI);
        }
    }
}
