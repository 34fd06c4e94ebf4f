use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use super::{AptError, tool};

/// A package, as a file.
#[derive(Debug)]
pub(crate) struct Deb {
    file: PathBuf,
}

impl Deb {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// The content of the first file in it whose path `is_wanted`. A path begins with neither `./` nor `/`.
    pub(crate) fn read_file(&self, is_wanted: impl Fn(&Path) -> bool) -> Result<Option<Vec<u8>>, AptError> {
        let task = self.task("unpack");
        let mut child = Command::new("dpkg-deb")
            .arg("--fsys-tarfile")
            .arg(&self.file)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| tool::spawn_failure(&error, &task))?;
        // Both ends are read at once, so that neither pipe fills up while the other one is waited for.
        let errors = child
            .stderr
            .take()
            .map(|stderr| thread::spawn(|| read_all(stderr)));
        let found = child
            .stdout
            .take()
            .map_or(Ok(None), |stdout| find(stdout, is_wanted));
        let mut output = child
            .wait_with_output()
            .map_err(|error| tool::spawn_failure(&error, &task))?;
        output.stderr = errors.and_then(|errors| errors.join().ok()).unwrap_or_default();
        if !output.status.success() {
            return Err(tool::failure(&output, &task, self.folder()));
        }
        found.map_err(|error| AptError::Failed {
            task,
            line: error.to_string(),
        })
    }

    /// Unpacks it all into a folder.
    pub(crate) fn unpack(&self, into: &Path) -> Result<(), AptError> {
        let task = self.task("unpack");
        let output = Command::new("dpkg-deb")
            .arg("--extract")
            .args([self.file.as_path(), into])
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| tool::spawn_failure(&error, &task))?;
        if output.status.success() {
            return Ok(());
        }
        Err(tool::failure(&output, &task, into))
    }

    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(&self.file)
    }

    fn task(&self, what: &str) -> String {
        let name = self.file.file_name().unwrap_or_default();
        format!("{what} {}", name.display())
    }
}

/// Searches a tar archive. Reads it to its end in any case: a package that breaks off later is broken.
fn find(archive: impl Read, is_wanted: impl Fn(&Path) -> bool) -> io::Result<Option<Vec<u8>>> {
    let mut found = None;
    let mut archive = tar::Archive::new(archive);
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?;
        let path = path.strip_prefix("./").unwrap_or(&path);
        if found.is_none() && entry.header().entry_type().is_file() && is_wanted(path) {
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            found = Some(content);
        }
    }
    // The padding after the last entry, without which the program at the other end fails to write.
    io::copy(&mut archive.into_inner(), &mut io::sink())?;
    Ok(found)
}

fn read_all(mut from: impl Read) -> Vec<u8> {
    let mut all = Vec::new();
    // What could be read is all there is to tell.
    let _incomplete = from.read_to_end(&mut all);
    all
}
