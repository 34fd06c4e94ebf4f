use std::{fmt, str::FromStr};

/// An upstream version, such as 6.12.118.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    pub(crate) major: u32,
    pub(crate) minor: u32,
    pub(crate) patch: u32,
}

impl Version {
    /// Reads x.y or x.y.z at the start of a text, whatever follows.
    pub(crate) fn leading(text: &str) -> Option<Self> {
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let mut numbers = text.get(..end)?.split('.').map(|number| number.parse().ok());
        Some(Self {
            major: numbers.next()??,
            minor: numbers.next()??,
            patch: numbers.next().flatten().unwrap_or(0),
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Which versions are meant: all of a series (x.y), or one (x.y.z).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    major: u32,
    minor: u32,
    patch: Option<u32>,
}

impl Wanted {
    /// Whether `version` is one of them.
    pub(crate) fn matches(self, version: Version) -> bool {
        self.is_series_of(version) && self.patch.is_none_or(|patch| patch == version.patch)
    }

    /// Whether `version` is of the same series.
    pub(crate) fn is_series_of(self, version: Version) -> bool {
        (self.major, self.minor) == (version.major, version.minor)
    }
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers: Option<Vec<u32>> = text.split('.').map(number).collect();
        match numbers.as_deref() {
            Some(&[major, minor]) => Ok(Self {
                major,
                minor,
                patch: None,
            }),
            Some(&[major, minor, patch]) => Ok(Self {
                major,
                minor,
                patch: Some(patch),
            }),
            _ => Err(format!("`{text}` is no version; expected x.y or x.y.z")),
        }
    }
}

/// Digits alone: `parse` takes a sign as well.
fn number(text: &str) -> Option<u32> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn version(major: u32, minor: u32, patch: u32) -> Version {
        Version { major, minor, patch }
    }

    #[test]
    fn a_version_is_read_off_the_start() {
        let table = [
            ("6.1.192-3", Some(version(6, 1, 192))),
            ("6.12.57-1~bpo12+1", Some(version(6, 12, 57))),
            ("7.0-1", Some(version(7, 0, 0))),
            ("7", None),
            ("", None),
            (".1", None),
            ("99999999999.1.2", None),
        ];
        for (text, expected) in table {
            assert_eq!(Version::leading(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_version_is_none_that_is_wanted() {
        for text in [
            "",
            "6",
            "5.x",
            "6.1.2.3",
            "6.+1",
            "6..1",
            "v6.1",
            "6.1-rc1",
            "6.99999999999",
        ] {
            assert!(text.parse::<Wanted>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn versions_are_in_the_order_of_their_numbers(a: [u32; 3], b: [u32; 3]) {
            let [x, y] = [a, b].map(|[major, minor, patch]| version(major, minor, patch));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        }

        #[test]
        fn a_version_is_wanted_by_itself_and_its_series_alone(a in [0..20u32, 0..20, 0..20], b in [0..20u32, 0..20, 0..20]) {
            let [x, y] = [a, b].map(|[major, minor, patch]| version(major, minor, patch));
            let one: Wanted = x.to_string().parse().unwrap();
            let series: Wanted = format!("{}.{}", a[0], a[1]).parse().unwrap();
            prop_assert!(one.matches(x) && series.matches(x));
            prop_assert_eq!(one.matches(y), a == b);
            prop_assert_eq!(series.matches(y), a[..2] == b[..2]);
        }

        #[test]
        fn any_text_may_be_asked_for(text in ".*") {
            if let Ok(wanted) = text.parse::<Wanted>() {
                let version = Version::leading(&text);
                prop_assert!(version.is_some_and(|version| wanted.matches(version)));
            }
        }
    }
}
