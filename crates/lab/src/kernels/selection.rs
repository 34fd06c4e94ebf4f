use serde::{Deserialize, Deserializer, de::Error};

use super::{
    package::Package,
    version::{Version, Wanted},
};

/// Which packages will do.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Selection {
    #[serde(rename = "version", deserialize_with = "wanted")]
    pub(crate) wanted: Wanted,
    #[serde(default, deserialize_with = "version")]
    from: Option<Version>,
    package: String,
}

impl Selection {
    /// Any package with such a kernel.
    pub(crate) fn of_version(wanted: Wanted) -> Self {
        Self {
            wanted,
            from: None,
            package: "*".to_owned(),
        }
    }

    /// Whether `package` will do.
    pub(crate) fn accepts(&self, package: &Package) -> bool {
        package.kernel().is_some_and(|version| {
            self.wanted.matches(version) && self.from.is_none_or(|from| version >= from)
        }) && fits(&self.package, &package.name)
    }

    /// The newest that will do.
    pub(crate) fn newest<'a>(&self, packages: impl IntoIterator<Item = &'a Package>) -> Option<&'a Package> {
        packages
            .into_iter()
            .filter(|package| self.accepts(package))
            .max_by(|a, b| a.version.cmp(&b.version))
    }
}

/// Whether `text` is `pattern`, in which one `*` may stand for anything.
fn fits(pattern: &str, text: &str) -> bool {
    pattern.split_once('*').map_or(pattern == text, |(start, end)| {
        text.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))
    })
}

fn wanted<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Wanted, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(Error::custom)
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Version>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let version = Version::leading(&text);
    version
        .map(Some)
        .ok_or_else(|| Error::custom(format!("`{text}` is no version; expected x.y.z")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::debian_version::DebianVersion;

    fn package(name: &str, version: &str) -> Package {
        Package {
            name: name.to_owned(),
            version: DebianVersion::new(version),
        }
    }

    fn selection(text: &str) -> Selection {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_newest_is_by_debians_order() {
        let packages = [
            package("linux-image-6.12.9+deb12-cloud-amd64", "6.12.9-1"),
            package("linux-image-6.12.100+deb12-cloud-amd64", "6.12.100-1~deb12u1"),
            package("linux-image-6.12.100+deb13-cloud-amd64", "6.12.100-1"),
            package("linux-image-6.12.100+deb12.1-cloud-amd64", "6.12.100-1~bpo12+1"),
            package("linux-image-6.13.1+deb13-cloud-amd64", "6.13.1-1"),
        ];
        let newest = Selection::of_version("6.12".parse().unwrap());
        assert_eq!(newest.newest(&packages), Some(&packages[2]));
        let one = Selection::of_version("6.12.9".parse().unwrap());
        assert_eq!(one.newest(&packages), Some(&packages[0]));
        let none = Selection::of_version("6.12.10".parse().unwrap());
        assert_eq!(none.newest(&packages), None);
    }

    #[test]
    fn an_older_kernel_of_the_series_is_of_another_era() {
        let from = selection("version = '6.12'\nfrom = '6.12.63'\npackage = '*'");
        assert!(!from.accepts(&package("x", "6.12.62-1")));
        assert!(from.accepts(&package("x", "6.12.63-1")));
    }

    #[test]
    fn a_star_stands_for_anything_but_not_for_less() {
        for (pattern, text, fitting) in [
            ("a-*-z", "a-b-z", true),
            ("a-*-z", "a--z", true),
            ("a-*-z", "a-z", false),
            ("a-*-z", "b-a-z", false),
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, text), fitting, "{pattern} {text}");
        }
    }

    proptest! {
        #[test]
        fn the_newest_is_one_of_those_and_none_is_newer(
            versions in prop::collection::vec((6u32..8, 0u32..3, 0u32..9, 1u32..3), 0..20),
            minor in 0u32..3,
        ) {
            let packages: Vec<_> = versions
                .into_iter()
                .map(|(a, b, c, revision)| package("x", &format!("{a}.{b}.{c}-{revision}")))
                .collect();
            let series = Selection::of_version(format!("6.{minor}").parse().unwrap());
            let accepted: Vec<_> = packages.iter().filter(|package| series.accepts(package)).collect();
            match series.newest(&packages) {
                Some(newest) => prop_assert!(accepted.iter().all(|package| package.version <= newest.version)),
                None => prop_assert!(accepted.is_empty()),
            }
        }
    }
}
