use std::{fs, path::PathBuf};

use super::{
    package::{self, Package},
    version::{Version, Wanted},
};
use crate::{
    Cache, CacheError,
    apt::{Apt, AptError},
    durable,
};

/// Debian's packages with kernels, as its lists had them last.
#[derive(Debug, Default)]
pub(crate) struct Index {
    packages: Vec<Package>,
}

impl Index {
    /// Reads it out of apt's lists, and leaves it for [`Index::last`].
    pub(crate) fn read(apt: &Apt) -> Result<Self, AptError> {
        let names = apt.names("linux-")?;
        let names = package::image_names(&names);
        if names.is_empty() {
            return Ok(Self::default());
        }
        let packages = package::parse_madison(&apt.versions(names)?);
        let file = apt.root().join(FILE);
        let text = serde_json::to_vec(&packages)
            .map_err(std::io::Error::from)
            .map_err(AptError::io("write", &file))?;
        durable::replace(&file, &text).map_err(AptError::io("write", file))?;
        Ok(Self { packages })
    }

    /// The one that was read last, which needs neither apt nor a network; empty if there is none.
    pub(crate) fn last(cache: &Cache) -> Result<Self, CacheError> {
        let file: PathBuf = cache.folder("apt")?.join(FILE);
        let packages = fs::read(file)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default();
        Ok(Self { packages })
    }

    pub(crate) fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// For people who asked for something else: all versions of that series, or else the newest of each series.
    pub(crate) fn known_beside(&self, wanted: Wanted) -> String {
        let mut versions: Vec<Version> = self.packages.iter().filter_map(Package::kernel).collect();
        versions.sort_unstable();
        versions.dedup();
        if versions.iter().any(|&version| wanted.is_series_of(version)) {
            versions.retain(|&version| wanted.is_series_of(version));
        } else {
            versions.reverse();
            versions.dedup_by_key(|version| (version.major, version.minor));
            versions.reverse();
        }
        let words: Vec<_> = versions.iter().map(ToString::to_string).collect();
        words.join(", ")
    }
}

const FILE: &str = "kernels.json";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::debian_version::DebianVersion;

    #[test]
    fn the_nearest_versions_are_told() {
        let package = |version: &str| Package {
            name: "linux-image-x".to_owned(),
            version: DebianVersion::new(version),
        };
        let index = Index {
            packages: [
                "6.12.9-1",
                "6.12.100-1~bpo1",
                "6.12.100-1",
                "6.1.2-1",
                "7.0.1-1",
                "7.0.3-1",
            ]
            .map(package)
            .into(),
        };
        assert_eq!(index.known_beside("6.12.3".parse().unwrap()), "6.12.9, 6.12.100");
        assert_eq!(
            index.known_beside("5.10".parse().unwrap()),
            "6.1.2, 6.12.100, 7.0.3"
        );
    }
}
