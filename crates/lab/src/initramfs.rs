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
const LINK: u32 = 0o120_000;

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

    /// Adds a symbolic link.
    pub fn link(&mut self, path: &str, target: &str) {
        let path = path.trim_matches('/');
        self.parents_of(path);
        self.entry(path, LINK | 0o777, target.as_bytes());
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
