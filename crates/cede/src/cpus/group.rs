//! `/proc/self/cgroup`: which cgroup the process is in.
//! <https://man7.org/linux/man-pages/man7/cgroups.7.html>

/// The two generations of cgroups. A kernel can have both ("hybrid").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V1,
    V2,
}

/// The process's cgroup in the hierarchy that has the CPU controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) version: Version,
    /// From the root of the process's cgroup namespace; begins with `/..` if the cgroup lies outside of it
    /// (`cgroup_namespaces(7)`).
    pub(super) path: String,
}

/// Finds the line of the CPU controller among `hierarchy-ID:controller-list:path`.
///
/// A controller is in one hierarchy at a time (cgroups(7)), so a v1 line that names it means that cgroup2
/// has no CPU quotas. The path is not escaped, may contain colons, and never a line feed, which the kernel
/// refuses in names (`cgroup_mkdir` in kernel/cgroup/cgroup.c). That of a removed cgroup ends in
/// ` (deleted)`: a directory that does not exist, whose parents count as ever.
pub(super) fn parse(text: &str) -> Option<Group> {
    let mut unified = None;
    for line in text.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(id), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let group = |version| Group {
            version,
            path: path.to_owned(),
        };
        if controllers.split(',').any(|controller| controller == "cpu") {
            return Some(group(Version::V1));
        }
        if id == "0" && controllers.is_empty() {
            unified = Some(group(Version::V2));
        }
    }
    unified
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_kind_of_system() {
        let table = [
            (
                "0::/user.slice/user-1000.slice/session-3.scope\n",
                Some((Version::V2, "/user.slice/user-1000.slice/session-3.scope")),
            ),
            // A container with a cgroup namespace of its own.
            ("0::/\n", Some((Version::V2, "/"))),
            // Outside of the namespace's root.
            ("0::/../sibling\n", Some((Version::V2, "/../sibling"))),
            // v1 with Docker and no cgroup namespace.
            (
                "12:memory:/docker/4f1c\n4:cpu,cpuacct:/docker/4f1c\n\
                 1:name=systemd:/docker/4f1c\n0::/system.slice/containerd.service\n",
                Some((Version::V1, "/docker/4f1c")),
            ),
            // Hybrid, where v1 has the controller and comes last.
            (
                "0::/unified\n3:cpuset:/a\n2:cpuacct,cpu:/b\n",
                Some((Version::V1, "/b")),
            ),
            // Hybrid, where the controller is in cgroup2.
            ("1:name=systemd:/x\n0::/y\n", Some((Version::V2, "/y"))),
            ("3:cpuset:/a\n2:cpuacct:/b\n1:name=cpu:/c\n", None),
            (
                "0::/odd:name,with cpu:and spaces\n",
                Some((Version::V2, "/odd:name,with cpu:and spaces")),
            ),
            ("0::/gone (deleted)\n", Some((Version::V2, "/gone (deleted)"))),
            ("", None),
            ("0:\n:::\n7\n", None),
        ];
        for (text, expected) in table {
            let found = parse(text);
            let found = found.as_ref().map(|group| (group.version, group.path.as_str()));
            assert_eq!(found, expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            let _ = parse(&text);
        }

        #[test]
        fn any_path_comes_back_whole(path in "/[^\n\r]{0,40}") {
            let group = parse(&format!("1:name=systemd:/\n0::{path}\n")).unwrap();
            prop_assert_eq!(group, Group { version: Version::V2, path });
        }
    }
}
