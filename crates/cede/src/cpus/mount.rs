//! `/proc/self/mountinfo`: where the cgroup file systems are, and which part of the hierarchy they show.
//! <https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html>

use std::path::PathBuf;

use super::below::below;
use super::group::{Group, Version};

/// A mounted hierarchy that can have CPU quotas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    version: Version,
    /// The cgroup that the mount point shows, like [`Group::path`] from the root of the process's cgroup
    /// namespace. Not `/` in a container that shares its host's namespace, `/..` and the like where a mount
    /// is older than the namespace.
    root: String,
    point: PathBuf,
}

/// The cgroup2 file systems, and the cgroup v1 ones with the CPU controller.
pub(super) fn parse(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_line).collect()
}

/// `36 35 98:0 ROOT POINT OPTIONS [optional fields ...] - TYPE SOURCE SUPER_OPTIONS`
fn parse_line(line: &str) -> Option<Mount> {
    let mut fields = line.split(' ');
    let (root, point) = (fields.nth(3)?, fields.next()?);
    // Optional fields have the form tag[:value], so that none of them is a hyphen.
    let mut fields = fields.skip_while(|&field| field != "-").skip(1);
    let (kind, super_options) = (fields.next()?, fields.nth(1));
    let version = match kind {
        "cgroup2" => Version::V2,
        "cgroup" if super_options?.split(',').any(|option| option == "cpu") => Version::V1,
        _ => return None,
    };
    Some(Mount {
        version,
        root: unescape(root),
        point: unescape(point).into(),
    })
}

/// Undoes the kernel's `\ooo` for blanks, line feeds and backslashes (`mangle_path` in `fs/seq_file.c`);
/// leaves anything else as it is.
fn unescape(field: &str) -> String {
    let mut parts = field.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part
            .get(..3)
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match (code, part.get(3..)) {
            (Some(code), Some(rest)) if code.is_ascii() => {
                text.push(char::from(code));
                text.push_str(rest);
            }
            _ => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    text
}

impl Mount {
    /// The directories of the group and of those above it, as far as this mount shows them: from the
    /// group's own, which need not exist, to the mount point. Empty if the group is not below the mount.
    pub(super) fn directories(&self, group: &Group) -> Vec<PathBuf> {
        if self.version != group.version {
            return Vec::new();
        }
        let Some(below) = below(&self.root, &group.path) else {
            return Vec::new();
        };
        let leaf = below
            .iter()
            .fold(self.point.clone(), |path, name| path.join(name));
        leaf.ancestors().take(below.len() + 1).map(Into::into).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn mount(version: Version, root: &str, point: &str) -> Mount {
        Mount {
            version,
            root: root.to_owned(),
            point: point.into(),
        }
    }

    #[test]
    fn a_desktop_with_cgroup2() {
        let text = "\
22 28 0:20 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw
23 28 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:14 - proc proc rw
28 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard,errors=remount-ro
33 22 0:27 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
36 24 0:30 / /dev/hugepages rw,relatime shared:15 master:3 propagate_from:2 - hugetlbfs hugetlbfs rw,pagesize=2M
";
        assert_eq!(parse(text), [mount(Version::V2, "/", "/sys/fs/cgroup")]);
    }

    #[test]
    fn a_hybrid_system() {
        let text = "\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:10 - cgroup cgroup rw,cpu,cpuacct
34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";
        let expected = [
            mount(Version::V1, "/", "/sys/fs/cgroup/cpu,cpuacct"),
            mount(Version::V2, "/", "/sys/fs/cgroup/unified"),
        ];
        assert_eq!(parse(text), expected);
    }

    #[test]
    fn a_container_in_its_hosts_namespace() {
        let text = "\
1203 1195 0:33 /docker/4f1c /sys/fs/cgroup/cpu,cpuacct ro,nosuid,nodev,noexec,relatime master:15 - cgroup cgroup rw,cpu,cpuacct
";
        assert_eq!(
            parse(text),
            [mount(Version::V1, "/docker/4f1c", "/sys/fs/cgroup/cpu,cpuacct")]
        );
    }

    #[test]
    fn escapes_and_what_only_looks_like_one() {
        let line = r"50 1 0:9 /a\134b /mnt/with\040blank\011tab rw - cgroup2 none rw";
        assert_eq!(parse(line), [mount(Version::V2, r"/a\b", "/mnt/with blank\ttab")]);
        for text in [r"\", r"\0", r"\999", r"\377", r"\04é", r"a\\b", "é\\"] {
            assert_eq!(unescape(text), text);
        }
    }

    #[test]
    fn lines_that_are_cut_off_are_no_mounts() {
        let line = "33 22 0:27 / /sys/fs/cgroup rw shared:9 - cgroup cgroup rw,cpu";
        assert_eq!(parse(line).len(), 1);
        for end in 0..line.len() {
            assert_eq!(parse(&line[..end]), [], "{}", &line[..end]);
        }
        assert_eq!(
            parse("33 22 0:27 / /sys/fs/cgroup rw shared:9 cgroup2 cgroup2 rw"),
            []
        );
    }

    #[test]
    fn directories_go_from_the_group_up_to_the_mount_point() {
        let group = Group {
            version: Version::V2,
            path: "/x/a/b".to_owned(),
        };
        let directories = mount(Version::V2, "/x", "/sys/fs/cgroup").directories(&group);
        let expected = ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"];
        assert_eq!(directories, expected.map(PathBuf::from));
        assert!(
            mount(Version::V1, "/x", "/sys/fs/cgroup")
                .directories(&group)
                .is_empty()
        );
        assert!(
            mount(Version::V2, "/y", "/sys/fs/cgroup")
                .directories(&group)
                .is_empty()
        );
    }

    fn escape(path: &str) -> String {
        path.chars().fold(String::new(), |text, c| match c {
            ' ' | '\t' | '\n' | '\\' => format!("{text}\\{:03o}", u32::from(c)),
            c => text + &c.to_string(),
        })
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            let _ = parse(&text);
            let _ = unescape(&text);
        }

        #[test]
        fn any_words_are_survived(words in "([0-9/a.:-]{0,3}|cgroup2?|cpu|-|/|\\\\[0-7]{0,4}|\n| ){0,40}") {
            let _ = parse(&words);
        }

        #[test]
        fn any_path_comes_back_whole(root in "/\\PC{0,20}", point in "/[ a\\\\\t\n01é]{0,20}") {
            let line = format!("1 2 0:3 {} {} rw - cgroup2 x rw\n", escape(&root), escape(&point));
            prop_assert_eq!(parse(&line), [mount(Version::V2, &root, &point)]);
        }

        #[test]
        fn nothing_outside_of_the_mount_is_looked_at(root in "(/(a|b|\\.\\.)){0,4}", path in "(/(a|b|\\.\\.)){0,4}") {
            let group = Group { version: Version::V2, path };
            for directory in mount(Version::V2, &root, "/m").directories(&group) {
                prop_assert!(directory.starts_with("/m"));
                prop_assert!(!directory.iter().any(|name| name == ".."));
                prop_assert!(directory != Path::new("/"));
            }
        }
    }
}
