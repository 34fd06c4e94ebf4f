//! Fetches a kernel from Debian.

use std::path::Path;

use super::{
    KernelError, bzimage,
    catalog::Catalog,
    index::Index,
    package::Package,
    selection::Selection,
    stock::{self, Stocked},
};
use crate::{
    Cache,
    apt::{Apt, AptError, Lists},
};

/// Where to fetch from, and whom to tell.
pub(crate) struct Source<'a> {
    pub(crate) mirror: Option<String>,
    pub(crate) progress: &'a mut dyn FnMut(&str),
}

/// The newest kernel that will do, from Debian unless the cache has it. With `any_cached`, another fetch that ended while
/// this one waited has done the work, too.
pub(crate) fn fetch(
    cache: &Cache,
    name: &str,
    selection: &Selection,
    any_cached: bool,
    source: Source<'_>,
) -> Result<Stocked, KernelError> {
    let Source { mirror, progress } = source;
    let apt = Apt::open(cache, mirror.as_deref(), Catalog::get().suites(), progress)?;
    if any_cached && let Some(cached) = stock::newest(cache, selection)? {
        return Ok(cached);
    }
    let mut lists = Lists::open(&apt, progress)?;
    loop {
        let index = Index::read(&apt)?;
        let result = match selection.newest(index.packages()) {
            Some(package) => get(cache, &apt, package, selection, progress),
            None => Err(not_there(name, selection, &index, &lists)),
        };
        // Lists of some hours ago may name packages that are gone, and lack others.
        let may_be_outdated = matches!(
            result,
            Err(KernelError::NotInDebian { .. } | KernelError::Apt(AptError::Failed { .. }))
        );
        if !(may_be_outdated && lists.refresh(progress)?) {
            return result;
        }
    }
}

/// The kernel in `package`.
fn get(
    cache: &Cache,
    apt: &Apt,
    package: &Package,
    selection: &Selection,
    progress: &mut dyn FnMut(&str),
) -> Result<Stocked, KernelError> {
    if let Some(cached) = stock::newest(cache, selection)?
        && cached.record.package == *package
    {
        return Ok(cached);
    }
    progress(&format!("fetching {} {}", package.name, package.version));
    let workshop = apt.workshop()?;
    let deb = apt.download(&package.name, package.version.as_str(), &workshop)?;
    let problem = |problem| KernelError::Package {
        package: package.name.clone(),
        problem,
    };
    let image = deb
        .read_file(is_image)?
        .ok_or_else(|| problem("expected boot/vmlinuz-* or usr/lib/modules/*/vmlinuz in it"))?;
    let kernel = bzimage::version(&image).map_err(problem)?;
    stock::put(cache, package, kernel, &image, &workshop)
}

/// Debian keeps the image in `/boot` up to 7.0, and beside the modules in 7.3.
fn is_image(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    (path.parent() == Some(Path::new("boot")) && name.starts_with("vmlinuz-"))
        || (name == "vmlinuz" && (path.starts_with("usr/lib/modules") || path.starts_with("lib/modules")))
}

fn not_there(name: &str, selection: &Selection, index: &Index, lists: &Lists<'_>) -> KernelError {
    match lists.complaint() {
        Some(line) => AptError::Unreachable {
            line: line.to_owned(),
        }
        .into(),
        None => KernelError::NotInDebian {
            name: name.to_owned(),
            known: index.known_beside(selection.wanted),
        },
    }
}
