use std::{collections::BTreeSet, fs, io, path::Path};

/// An initial RAM file system in the cpio format "newc", as the kernel's documentation of
/// its initramfs buffer format describes it: a header of hexadecimal fields, the name and the content for each file, each padded to 4 bytes.
///
/// Owners, times and inode numbers are constants or counted, so that equal content gives equal bytes.
#[derive(Debug, Default)]
pub struct Initramfs {
    bytes: Vec<u8>,
    entries: u32,
    folders: BTreeSet<String>,
}

/// What marks a header without checksum.
const MAGIC: &str = "070701";
/// The name that ends an archive.
const TRAILER: &str = "TRAILER!!!";
/// Type bits of a mode, and their values (inode(7)).
const TYPE: u32 = 0o170_000;
const FOLDER: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;

impl Initramfs {
    /// Adds a folder, and those that it is in.
    pub fn folder(&mut self, path: &str) {
        let path = path.trim_matches('/');
        if path.is_empty() || self.folders.contains(path) {
            return;
        }
        self.parents_of(path);
        self.folders.insert(path.to_owned());
        self.entry(path, FOLDER | 0o755, &[]);
    }

    /// Adds a file that may be executed by all and written by its owner.
    pub fn file(&mut self, path: &str, content: &[u8]) {
        let path = path.trim_matches('/');
        self.parents_of(path);
        self.entry(path, REGULAR | 0o755, content);
    }

    /// Adds a copy of a file of the host.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn copy(&mut self, path: &str, from: &Path) -> io::Result<()> {
        self.file(path, &fs::read(from)?);
        Ok(())
    }

    /// The archive, complete.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.entry(TRAILER, 0, &[]);
        self.bytes
    }

    fn parents_of(&mut self, path: &str) {
        if let Some((parent, _)) = path.rsplit_once('/') {
            self.folder(parent);
        }
    }

    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let links = if mode & TYPE == FOLDER { 2 } else { 1 };
        let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let fields = [
            self.entries, // inode
            mode,
            0, // user
            0, // group
            links,
            0, // time of last change
            size(content.len()),
            0, // device of the file system, major and minor
            0,
            0, // device of a device node, major and minor
            0,
            size(name.len() + 1),
            0, // checksum, of other formats
        ];
        self.bytes.extend_from_slice(MAGIC.as_bytes());
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Name, mode and content of each entry, read by the format's own rules.
    fn entries(mut archive: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
        let mut entries = Vec::new();
        let mut take = |length: usize| {
            let taken = archive[..length].to_vec();
            archive = &archive[length..];
            taken
        };
        loop {
            assert_eq!(take(6), MAGIC.as_bytes());
            let fields: Vec<u32> = (0..13)
                .map(|_| u32::from_str_radix(&String::from_utf8(take(8)).unwrap(), 16).unwrap())
                .collect();
            let (mode, size, name_size) = (fields[1], fields[6] as usize, fields[11] as usize);
            let mut name = take(name_size);
            assert_eq!(name.pop(), Some(0));
            let name = String::from_utf8(name).unwrap();
            take((4 - (110 + name_size) % 4) % 4);
            let content = take(size);
            take((4 - size % 4) % 4);
            if name == TRAILER {
                return entries;
            }
            entries.push((name, mode, content));
        }
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(
            files in prop::collection::btree_map("[a-z]{1,9}(/[a-z]{1,5}){0,2}/f", prop::collection::vec(any::<u8>(), 0..40), 1..6)
        ) {
            let mut archive = Initramfs::default();
            for (path, content) in &files {
                archive.file(&format!("/{path}"), content);
            }
            let read = entries(&archive.finish());
            for (path, content) in &files {
                let at = read.iter().position(|(name, ..)| name == path).unwrap();
                prop_assert_eq!((read[at].1, &read[at].2), (0o100_755, content));
                // The kernel unpacks in order: a folder has to be there before what is in it, and once.
                let parent = path.rsplit_once('/').unwrap().0;
                let folders: Vec<_> = (0..read.len()).filter(|&other| read[other].0 == parent).collect();
                prop_assert_eq!(folders.len(), 1);
                prop_assert!(folders[0] < at && read[folders[0]].1 == 0o040_755);
            }
        }
    }
}
