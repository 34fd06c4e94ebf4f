//! The era as the kernel's version suggests it.

use super::Era;

/// What a mainline or stable kernel of this version does.
///
/// From the changelogs: EEVDF since 6.6, the forfeit since 6.19 and in the stable releases 6.12.63 and
/// 6.18.2. 6.17.13, of the same day as 6.18.2, was measured to forfeit, and 6.17.8 not to (`cede lab probe`); those
/// between count as being without. A distribution's kernel may have been patched (Ubuntu's 6.8.0-151 and 6.17.0-41 have the forfeit), so this is a hint;
/// [`probe`](super::probe) looks.
///
/// ```
/// use cede::era::{Era, by_version};
///
/// assert_eq!(by_version(6, 12, 62), Era::EevdfDeadline);
/// assert_eq!(by_version(6, 12, 63), Era::EevdfForfeit);
/// ```
#[must_use]
pub const fn by_version(major: u32, minor: u32, patch: u32) -> Era {
    match (major, minor, patch) {
        (0..=5, ..) | (6, 0..=5, _) => Era::Cfs,
        (6, 12, 63..) | (6, 17, 13..) | (6, 18, 2..) | (6, 19.., _) | (7.., ..) => Era::EevdfForfeit,
        (6, ..) => Era::EevdfDeadline,
    }
}

/// The upstream version of the running kernel.
///
/// Debian's release names the ABI (`6.1.0-37-amd64`) and its build the version (`... Debian 6.1.140-1 ...`);
/// Ubuntu has it as the third word of `/proc/version_signature`. Elsewhere the release begins with it.
pub(crate) fn upstream(release: &str, build: &str, signature: Option<&str>) -> Option<(u32, u32, u32)> {
    let debian = build.split_once("Debian ").map(|(_, version)| version);
    let ubuntu = signature.and_then(|signature| signature.split_whitespace().nth(2));
    [debian, ubuntu, Some(release)]
        .into_iter()
        .flatten()
        .find_map(parse)
}

/// Reads x.y or x.y.z at the start of a text, whatever follows.
fn parse(text: &str) -> Option<(u32, u32, u32)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let mut numbers = text
        .get(..end)?
        .split('.')
        .map(|number| number.parse::<u32>().ok());
    let (major, minor) = (numbers.next()??, numbers.next()??);
    Some((major, minor, numbers.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_border_between_eras() {
        let table = [
            ((2, 6, 32), Era::Cfs),
            ((5, 15, 0), Era::Cfs),
            ((6, 1, 140), Era::Cfs),
            ((6, 5, 13), Era::Cfs),
            ((6, 6, 0), Era::EevdfDeadline),
            ((6, 12, 57), Era::EevdfDeadline),
            ((6, 12, 62), Era::EevdfDeadline),
            ((6, 12, 63), Era::EevdfForfeit),
            ((6, 12, 118), Era::EevdfForfeit),
            ((6, 13, 0), Era::EevdfDeadline),
            ((6, 17, 8), Era::EevdfDeadline),
            ((6, 17, 13), Era::EevdfForfeit),
            ((6, 18, 0), Era::EevdfDeadline),
            ((6, 18, 1), Era::EevdfDeadline),
            ((6, 18, 2), Era::EevdfForfeit),
            ((6, 19, 0), Era::EevdfForfeit),
            ((7, 0, 0), Era::EevdfForfeit),
            ((7, 3, 4), Era::EevdfForfeit),
        ];
        for ((major, minor, patch), era) in table {
            assert_eq!(by_version(major, minor, patch), era, "{major}.{minor}.{patch}");
        }
    }

    #[test]
    fn the_upstream_version_is_found_where_distributions_put_it() {
        let table = [
            (
                "6.1.0-37-amd64",
                "#1 SMP PREEMPT_DYNAMIC Debian 6.1.140-1 (2025-05-22)",
                None,
                Some((6, 1, 140)),
            ),
            (
                "6.12.57+deb13-cloud-amd64",
                "#1 SMP Debian 6.12.57-1 (2025-11-05)",
                None,
                Some((6, 12, 57)),
            ),
            (
                "6.17.8+deb13-amd64",
                "#1 SMP Debian 6.17.8-1~bpo13+1 (2025-12-01)",
                None,
                Some((6, 17, 8)),
            ),
            (
                "6.8.0-51-generic",
                "#52-Ubuntu SMP PREEMPT_DYNAMIC Thu Dec  5 13:09:44 UTC 2024",
                Some("Ubuntu 6.8.0-51.52-generic 6.8.12\n"),
                Some((6, 8, 12)),
            ),
            (
                "6.18.44-fc-v657",
                "#1 SMP PREEMPT_DYNAMIC @0",
                None,
                Some((6, 18, 44)),
            ),
            ("6.19-rc1", "#1 SMP", None, Some((6, 19, 0))),
            ("6.1.0", "#1 Debian GNU", Some("too short"), Some((6, 1, 0))),
            ("7", "#1", None, None),
            ("", "", None, None),
            ("linux", "", None, None),
            ("99999999999.1.2", "", None, None),
        ];
        for (release, build, signature, version) in table {
            assert_eq!(
                upstream(release, build, signature),
                version,
                "{release:?}, {build:?}"
            );
        }
    }
}
