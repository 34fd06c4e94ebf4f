use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{debian_version::DebianVersion, version::Version};

/// What all kernels' names end in: Debian's flavour for virtual machines.
const FLAVOUR: &str = "-cloud-amd64";
/// Packages that hold images, the preferred one last: where there are both, `linux-image-*` is an empty shell.
const KINDS: [&str; 2] = ["linux-image-", "linux-binary-"];

/// A version of a Debian package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: DebianVersion,
}

impl Package {
    /// The version of the kernel in it.
    pub(crate) fn kernel(&self) -> Option<Version> {
        Version::leading(self.version.as_str())
    }
}

/// Those of `names` that hold a kernel image.
pub(crate) fn image_names(names: &str) -> Vec<&str> {
    let split: HashSet<&str> = names.lines().filter_map(|name| abi_of(name, KINDS[1])).collect();
    let holds_image = |name: &&str| {
        abi_of(name, KINDS[1]).is_some() || abi_of(name, KINDS[0]).is_some_and(|abi| !split.contains(abi))
    };
    names.lines().filter(holds_image).collect()
}

/// The middle of a name such as `linux-image-6.1.0-57-cloud-amd64`. It begins with three numbers: packages without hold
/// nothing and depend on the newest, and those that are unsigned hold the same again.
fn abi_of<'a>(name: &'a str, kind: &str) -> Option<&'a str> {
    let abi = name.strip_prefix(kind)?.strip_suffix(FLAVOUR)?;
    let end = abi
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(abi.len());
    let numbers = abi.get(..end)?.split('.');
    (numbers.filter(|number| !number.is_empty()).count() >= 3).then_some(abi)
}

/// Reads what `apt-cache madison` prints: a line per package, version and source.
pub(crate) fn parse_madison(text: &str) -> Vec<Package> {
    let mut packages: Vec<Package> = text
        .lines()
        .filter_map(|line| {
            let mut columns = line.split('|').map(str::trim);
            Some(Package {
                name: columns.next()?.to_owned(),
                version: DebianVersion::new(columns.next()?),
            })
        })
        .collect();
    packages.dedup();
    packages
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_packages_with_an_image_count() {
        let names = "linux-base-7.3.4+deb13-cloud-amd64\n\
                     linux-binary-7.0.13+deb13-cloud-amd64\n\
                     linux-binary-unsigned-7.0.13+deb13-cloud-amd64\n\
                     linux-headers-6.1.0-57-cloud-amd64\n\
                     linux-image-6.1.0-57-amd64\n\
                     linux-image-6.1.0-57-cloud-amd64\n\
                     linux-image-6.1.0-57-cloud-amd64-dbg\n\
                     linux-image-6.12-cloud-amd64\n\
                     linux-image-6.12.57+deb12-cloud-amd64\n\
                     linux-image-7.0.13+deb13-cloud-amd64\n\
                     linux-image-cloud-amd64\n";
        assert_eq!(
            image_names(names),
            [
                "linux-binary-7.0.13+deb13-cloud-amd64",
                "linux-image-6.1.0-57-cloud-amd64",
                "linux-image-6.12.57+deb12-cloud-amd64"
            ]
        );
    }

    #[test]
    fn a_package_in_two_suites_is_one() {
        let text = "linux-image-6.1.0-50-cloud-amd64 |  6.1.176-1 | http://m/debian bookworm/main amd64 Packages\n\
                    linux-image-6.1.0-50-cloud-amd64 |  6.1.176-1 | http://m/debian-security x/main amd64 Packages\n\
                    linux-image-6.12.57+deb12-cloud-amd64 | 6.12.57-1~bpo12+1 | http://m/debian x/main amd64 Packages\n";
        let packages = parse_madison(text);
        let found: Vec<_> = packages
            .iter()
            .filter_map(|package| Some(package.kernel()?.to_string()))
            .collect();
        assert_eq!(found, ["6.1.176", "6.12.57"]);
    }

    proptest! {
        #[test]
        fn whatever_apt_prints_is_read(text in ".*") {
            let _any = (image_names(&text), parse_madison(&text));
        }
    }
}
