//! The kernels that were fetched: for each a folder `kernels/VERSION` with the image and a record of it. Both get there
//! at once, by the renaming of a folder, so that what an interrupted fetch leaves is never taken for a kernel.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{KernelError, package::Package, selection::Selection, version::Version};
use crate::{AptError, Cache, durable};

const IMAGE: &str = "vmlinuz";
const RECORD: &str = "kernel.json";

/// A kernel in the cache.
#[derive(Clone, Debug)]
pub(crate) struct Stocked {
    pub(crate) record: Record,
    pub(crate) image: PathBuf,
}

/// What is written down about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    #[serde(flatten)]
    pub(crate) package: Package,
    pub(crate) kernel: String,
    pub(crate) bytes: u64,
    sha256: String,
}

impl Stocked {
    /// The record in a folder, if the image beside it is as long as it says.
    fn in_folder(folder: &Path) -> Option<Self> {
        let record: Record = serde_json::from_slice(&fs::read(folder.join(RECORD)).ok()?).ok()?;
        let image = folder.join(IMAGE);
        let is_whole = image.metadata().is_ok_and(|data| data.len() == record.bytes);
        is_whole.then_some(Self { record, image })
    }

    /// Whether the image is still what was fetched.
    pub(crate) fn is_intact(&self) -> bool {
        fs::read(&self.image).is_ok_and(|image| sha256(&image) == self.record.sha256)
    }
}

/// All kernels in the cache.
pub(crate) fn all(cache: &Cache) -> Result<Vec<Stocked>, KernelError> {
    let folder = cache.folder("kernels")?;
    let entries = fs::read_dir(&folder).map_err(AptError::io("read", &folder))?;
    Ok(entries
        .filter_map(|entry| Stocked::in_folder(&entry.ok()?.path()))
        .collect())
}

/// The newest one in the cache that will do.
pub(crate) fn newest(cache: &Cache, selection: &Selection) -> Result<Option<Stocked>, KernelError> {
    let mut stocked = all(cache)?;
    // Reading an image whole takes a few milliseconds, so only those are checked that are about to be used.
    while let Some(newest) = newest_of(&stocked, selection).cloned() {
        if newest.is_intact() {
            return Ok(Some(newest));
        }
        stocked.retain(|kernel| kernel.image != newest.image);
    }
    Ok(None)
}

/// The newest one of these that will do, as far as their records tell.
pub(crate) fn newest_of<'a>(stocked: &'a [Stocked], selection: &Selection) -> Option<&'a Stocked> {
    stocked
        .iter()
        .filter(|kernel| selection.accepts(&kernel.record.package))
        .max_by(|a, b| a.record.package.version.cmp(&b.record.package.version))
}

/// Puts a kernel in. What is under way is kept in the empty folder `workshop`, which is on the same disk.
pub(crate) fn put(
    cache: &Cache,
    package: &Package,
    kernel: Version,
    image: &[u8],
    workshop: &Path,
) -> Result<Stocked, KernelError> {
    let record = Record {
        package: package.clone(),
        kernel: kernel.to_string(),
        bytes: image.len() as u64,
        sha256: sha256(image),
    };
    let new = workshop.join("kernel");
    fs::create_dir(&new).map_err(AptError::io("create", &new))?;
    let file = new.join(IMAGE);
    durable::write(&file, image).map_err(AptError::io("write", file))?;
    let file = new.join(RECORD);
    let text = serde_json::to_vec_pretty(&record)
        .map_err(std::io::Error::from)
        .map_err(AptError::io("write", &file))?;
    durable::write(&file, &text).map_err(AptError::io("write", file))?;

    // Not the kernel's version alone: another package of it may be in use right now.
    let name = package.version.as_str().replace(['/', ':'], "_");
    let folder = cache.folder("kernels")?.join(name);
    durable::remove(&folder).map_err(AptError::io("remove", &folder))?;
    durable::rename(&new, &folder).map_err(AptError::io("create", &folder))?;
    Ok(Stocked {
        record,
        image: folder.join(IMAGE),
    })
}

fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::debian_version::DebianVersion;

    struct Shop {
        folder: tempfile::TempDir,
        cache: Cache,
    }

    impl Shop {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let cache = Cache::at(folder.path()).unwrap();
            Self { folder, cache }
        }

        fn put(&self, version: &str) -> Stocked {
            let package = Package {
                name: "linux-image-x".to_owned(),
                version: DebianVersion::new(version),
            };
            let kernel = package.kernel().unwrap();
            let workshop = self.folder.path().join("workshop");
            durable::remove(&workshop).unwrap();
            fs::create_dir(&workshop).unwrap();
            put(&self.cache, &package, kernel, version.as_bytes(), &workshop).unwrap()
        }

        fn newest(&self) -> Option<String> {
            let series = Selection::of_version("6.12".parse().unwrap());
            newest(&self.cache, &series)
                .unwrap()
                .map(|found| found.record.kernel)
        }
    }

    #[test]
    fn the_newest_of_several_is_found() {
        let shop = Shop::new();
        assert_eq!(shop.newest(), None);
        for version in ["6.12.9-1", "6.12.101-1", "6.12.100-1", "6.13.1-1"] {
            shop.put(version);
        }
        assert_eq!(shop.newest().unwrap(), "6.12.101");
    }

    #[test]
    fn an_image_that_changed_is_none() {
        let shop = Shop::new();
        let image = shop.put("6.12.9-1").image;
        for broken in ["6.12", "6.12.9-2", ""] {
            fs::write(&image, broken).unwrap();
            assert_eq!(shop.newest(), None, "{broken}");
        }
        shop.put("6.12.9-1");
        assert_eq!(shop.newest().unwrap(), "6.12.9");
    }

    #[test]
    fn an_image_without_a_whole_record_is_none() {
        let shop = Shop::new();
        let record = shop.put("6.12.9-1").image.with_file_name(RECORD);
        let text = fs::read(&record).unwrap();
        fs::write(&record, &text[..text.len() / 2]).unwrap();
        assert_eq!(shop.newest(), None);
        fs::remove_file(&record).unwrap();
        assert_eq!(shop.newest(), None);
    }
}
