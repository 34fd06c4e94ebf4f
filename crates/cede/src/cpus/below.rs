//! Where a cgroup is in the part of the hierarchy that a mount shows. Both paths begin at the root of the
//! process's cgroup namespace, and with `/..` where they lead out of it.

/// The names that lead from a mount's root down to a group.
///
/// `None` if the group is not below the root. A root that is all `..` from where the two part lies above the
/// group, but how the directories in between are called cannot be told from inside the namespace
/// (`cgroup_namespaces(7)`). No names then: the quotas of the root hold for the group, and the others stay
/// unknown.
pub(super) fn below<'a>(root: &str, group: &'a str) -> Option<Vec<&'a str>> {
    const UP: &str = "..";
    let mut group: Vec<&str> = names(group).collect();
    let mut root: Vec<&str> = names(root).collect();
    let shared = root.iter().zip(&group).take_while(|(a, b)| a == b).count();
    root.drain(..shared);
    group.drain(..shared);
    if root.is_empty() {
        // Up and out of the mount: whatever is found there would be another file system.
        (!group.contains(&UP)).then_some(group)
    } else {
        root.iter().all(|&name| name == UP).then(Vec::new)
    }
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty() && *name != ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_root_to_group() {
        let table: [(&str, &str, Option<&[&str]>); 14] = [
            ("/", "/", Some(&[])),
            ("/", "/a/b", Some(&["a", "b"])),
            ("/docker/4f1c", "/docker/4f1c", Some(&[])),
            // A container within a container.
            (
                "/docker/4f1c",
                "/docker/4f1c/docker/77aa",
                Some(&["docker", "77aa"]),
            ),
            // A neighbour's, and one whose name only begins like ours.
            ("/docker/4f1c", "/docker/9e02", None),
            ("/docker/4f1c", "/docker/4f1cc", None),
            ("/docker/4f1c", "/docker", None),
            // A mount that is older than the namespace: above it by one and by two.
            ("/..", "/", Some(&[])),
            ("/../..", "/a", Some(&[])),
            ("/../..", "/../a", Some(&[])),
            // The process was moved out of its namespace's root.
            ("/..", "/../a", Some(&["a"])),
            ("/", "/../a", None),
            ("/../a", "/", None),
            ("/", "/gone (deleted)", Some(&["gone (deleted)"])),
        ];
        for (root, group, expected) in table {
            assert_eq!(below(root, group).as_deref(), expected, "{root:?}, {group:?}");
        }
    }
}
