use super::{
    KernelError,
    catalog::{Catalog, Listed},
    index::Index,
    package::Package,
    stock::{self, Stocked},
};
use crate::Cache;

/// A kernel that has a name or is in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// What `--kernel` takes.
    pub name: String,
    /// What `sched_yield(2)` does on it, by its version; none if only the guest can tell.
    pub era: Option<String>,
    /// The upstream version: of the one in the cache, or else of the one that would be fetched; none if Debian's lists
    /// were not read yet.
    pub version: Option<String>,
    /// The Debian package of that version.
    pub package: Option<String>,
    /// The length of the image in bytes if it is in the cache.
    pub cached_bytes: Option<u64>,
    /// The version that would be fetched if it is newer than the one in the cache.
    pub newer: Option<String>,
}

/// The kernels of the catalog, and then all others in the cache. Uses no network.
///
/// # Errors
/// If the cache folder cannot be read.
pub fn list(cache: &Cache) -> Result<Vec<Entry>, KernelError> {
    let index = Index::last(cache)?;
    let stocked = stock::all(cache)?;
    let named = Catalog::get().kernels().iter();
    let mut entries: Vec<_> = named
        .map(|kernel| named_entry(kernel, &stocked, &index))
        .collect();
    // Versions that were asked for by number, and those that were the newest once.
    let is_shown = |kernel: &Stocked| {
        let package = Some(&kernel.record.package.name);
        entries
            .iter()
            .any(|entry| entry.package.as_ref() == package && entry.cached_bytes.is_some())
    };
    let mut others: Vec<_> = stocked.iter().filter(|kernel| !is_shown(kernel)).collect();
    others.sort_by(|a, b| a.record.package.version.cmp(&b.record.package.version));
    entries.extend(others.into_iter().map(other_entry));
    Ok(entries)
}

fn named_entry(kernel: &Listed, stocked: &[Stocked], index: &Index) -> Entry {
    let selection = &kernel.selection;
    let cached = stock::newest_of(stocked, selection);
    let in_debian = selection.newest(index.packages());
    let package = cached.map(|kernel| &kernel.record.package).or(in_debian);
    let newer = in_debian.filter(|newest| package.is_some_and(|package| newest.version > package.version));
    Entry {
        name: kernel.name.clone(),
        era: Some(kernel.era.clone()),
        version: package.and_then(version),
        package: package.map(|package| package.name.clone()),
        cached_bytes: cached.map(|kernel| kernel.record.bytes),
        newer: newer.and_then(version),
    }
}

fn other_entry(kernel: &Stocked) -> Entry {
    let record = &kernel.record;
    Entry {
        name: record.kernel.clone(),
        era: Catalog::get().era_of(&record.package).map(ToOwned::to_owned),
        version: Some(record.kernel.clone()),
        package: Some(record.package.name.clone()),
        cached_bytes: Some(record.bytes),
        newer: None,
    }
}

fn version(package: &Package) -> Option<String> {
    package.kernel().map(|version| version.to_string())
}
