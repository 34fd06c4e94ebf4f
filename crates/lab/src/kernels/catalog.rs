use std::sync::LazyLock;

use serde::Deserialize;

use super::{package::Package, selection::Selection};

/// The kernels that have a name: `kernels.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Catalog {
    suites: Vec<String>,
    kernel: Vec<Listed>,
}

/// A kernel that has a name.
#[derive(Debug, Deserialize)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) era: String,
    #[serde(default)]
    pub(crate) standard: bool,
    #[serde(flatten)]
    pub(crate) selection: Selection,
}

impl Catalog {
    /// The catalog that this program has in it.
    pub(crate) fn get() -> &'static Self {
        // It is compiled in, and a test reads it.
        static CATALOG: LazyLock<Catalog> =
            LazyLock::new(|| toml::from_str(include_str!("../../kernels.toml")).unwrap_or_default());
        &CATALOG
    }

    /// Debian's suites that have them.
    pub(crate) fn suites(&self) -> &[String] {
        &self.suites
    }

    /// All kernels, in the order of the file.
    pub(crate) fn kernels(&self) -> &[Listed] {
        &self.kernel
    }

    /// The kernel of that name, or else the first one of the era of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&Listed> {
        let by_name = self.kernel.iter().find(|kernel| kernel.name == name);
        by_name.or_else(|| self.kernel.iter().find(|kernel| kernel.era == name))
    }

    /// The era of a package that is one of these kernels, or was.
    pub(crate) fn era_of(&self, package: &Package) -> Option<&str> {
        let kernel = self
            .kernel
            .iter()
            .find(|kernel| kernel.selection.accepts(package))?;
        Some(&kernel.era)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::debian_version::DebianVersion;

    #[test]
    fn the_file_is_valid() {
        toml::from_str::<Catalog>(include_str!("../../kernels.toml")).unwrap();
        assert!(Catalog::get().suites().len() > 1);
    }

    #[test]
    fn the_standard_comparison_has_a_kernel_of_each_era() {
        let standard = Catalog::get().kernels().iter().filter(|kernel| kernel.standard);
        let mut eras: Vec<_> = standard.map(|kernel| &kernel.era).collect();
        eras.dedup();
        assert_eq!(eras, ["cfs", "eevdf-deadline", "eevdf-forfeit"]);
    }

    #[test]
    fn an_era_is_its_first_kernel() {
        for (name, found) in [
            ("6.12.57", Some("6.12.57")),
            ("cfs", Some("6.1")),
            ("eevdf-deadline", Some("6.12.57")),
            ("eevdf-forfeit", Some("6.12")),
            ("5.x", None),
        ] {
            assert_eq!(
                Catalog::get().find(name).map(|kernel| kernel.name.as_str()),
                found
            );
        }
    }

    #[test]
    fn each_name_takes_its_own_packages_only() {
        let package = |name: &str, version| Package {
            name: name.to_owned(),
            version: DebianVersion::new(version),
        };
        let packages = [
            ("6.1", package("linux-image-6.1.0-57-cloud-amd64", "6.1.192-3")),
            (
                "6.12.57",
                package("linux-image-6.12.57+deb12-cloud-amd64", "6.12.57-1~bpo12+1"),
            ),
            (
                "6.12",
                package("linux-image-6.12.118+deb13-cloud-amd64", "6.12.118-1"),
            ),
            (
                "6.17.8",
                package("linux-image-6.17.8+deb13-cloud-amd64", "6.17.8-1~bpo13+1"),
            ),
            (
                "6.18",
                package("linux-image-6.18.15+deb13-cloud-amd64", "6.18.15-1~bpo13+1"),
            ),
            (
                "7.0",
                package("linux-binary-7.0.13+deb13-cloud-amd64", "7.0.13-1~bpo13+1"),
            ),
            (
                "7.3",
                package("linux-binary-7.3.4+deb13-cloud-amd64", "7.3.4-1~bpo13+1"),
            ),
        ];
        for kernel in Catalog::get().kernels() {
            let taken: Vec<_> = packages
                .iter()
                .filter(|(_, package)| kernel.selection.accepts(package))
                .map(|(name, _)| *name)
                .collect();
            assert_eq!(taken, [&kernel.name]);
        }
    }
}
