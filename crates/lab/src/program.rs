use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
};

use thiserror::Error;

use crate::initramfs::Initramfs;

/// A program of the host that can be packed into a guest, with the shared libraries that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    executable: PathBuf,
    /// Where the program looks for each of them; the loader is among them.
    libraries: Vec<PathBuf>,
}

/// Why a program cannot be packed.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// The tool that lists libraries could not be run.
    #[error("cannot run ldd, which lists the libraries of {}: {source}", program.display())]
    Ldd {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A library is not there.
    #[error("{}: its library {library} is not found", program.display())]
    Missing {
        /// The program.
        program: PathBuf,
        /// The library.
        library: String,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Program {
    /// The program `executable` with the libraries that this host's loader finds for it.
    ///
    /// # Errors
    /// If they cannot be told.
    pub fn new(executable: &Path) -> Result<Self, ProgramError> {
        let output = Command::new("ldd")
            .arg(executable)
            .output()
            .map_err(|source| ProgramError::Ldd {
                program: executable.to_owned(),
                source,
            })?;
        // Of a static program it only says so, and fails.
        let libraries = if output.status.success() {
            libraries(&String::from_utf8_lossy(&output.stdout))
        } else {
            Ok(Vec::new())
        };
        Ok(Self {
            executable: executable.to_owned(),
            libraries: libraries.map_err(|library| ProgramError::Missing {
                program: executable.to_owned(),
                library,
            })?,
        })
    }

    /// Packs the program as `path`, and its libraries where it looks for them.
    ///
    /// # Errors
    /// If one of the files cannot be read.
    pub fn pack(&self, path: &str, archive: &mut Initramfs) -> Result<(), ProgramError> {
        let mut copy = |path: &str, from: &Path| {
            archive.copy(path, from).map_err(|source| ProgramError::Read {
                file: from.to_owned(),
                source,
            })
        };
        copy(path, &self.executable)?;
        for library in &self.libraries {
            copy(&library.to_string_lossy(), library)?;
        }
        Ok(())
    }
}

/// The paths in what ldd prints; the name of a library that was not found otherwise.
///
/// A line is `NAME => PATH (ADDRESS)`, `NAME => not found`, or `PATH (ADDRESS)` for the loader; the vDSO, a name without
/// a path, is no file.
fn libraries(printed: &str) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    for line in printed.lines() {
        let (name, found) = line.split_once("=>").unwrap_or((line, line));
        if found.trim() == "not found" {
            return Err(name.trim().to_owned());
        }
        let path = found.rsplit_once(" (").map_or(found, |(path, _)| path).trim();
        if path.starts_with('/') {
            paths.push(PathBuf::from(path));
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_and_each_library_are_listed() {
        let printed = "\tlinux-vdso.so.1 (0x00007ff4e888b000)\n\
                       \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007ff4e801e000)\n\
                       \t/lib64/ld-linux-x86-64.so.2 (0x00007ff4e888d000)\n";
        let paths = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"];
        assert_eq!(libraries(printed), Ok(paths.map(PathBuf::from).to_vec()));
        assert_eq!(libraries("\tstatically linked\n"), Ok(Vec::new()));
        assert_eq!(
            libraries("\tlibodd.so.1 => not found\n"),
            Err("libodd.so.1".to_owned())
        );
    }
}
