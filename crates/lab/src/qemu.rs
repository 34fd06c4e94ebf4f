//! QEMU for x86-64: one that the user names, one of the machine's, or one of our own.
//!
//! It has to be 8 or later. Under `-icount`, Debian 12's QEMU 7.2 hangs when Linux 6.1 starts a second CPU.

mod error;
mod private;

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

pub use self::error::QemuError;
use crate::{Cache, programs};

/// The program, as distributions call it.
const PROGRAM: &str = "qemu-system-x86_64";
/// The first version that will do.
const OLDEST: u32 = 8;

/// A QEMU that will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Qemu {
    version: String,
    origin: Origin,
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
}

/// Where a QEMU is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The variable `CEDE_QEMU` names it.
    Named,
    /// It is on the search path.
    Machine,
    /// It was fetched into the cache.
    Private,
}

impl Qemu {
    /// The QEMU that `CEDE_QEMU` names, or else one on the search path that is new enough, or else the one in the
    /// cache.
    ///
    /// # Errors
    /// If there is none, or the one that is named will not do.
    pub fn find(cache: &Cache) -> Result<Self, QemuError> {
        if let Some(program) = env::var_os("CEDE_QEMU").filter(|value| !value.is_empty()) {
            let program = PathBuf::from(program);
            let version = version(&mut Command::new(&program)).map_err(|problem| QemuError::Named {
                program: program.clone(),
                problem,
            })?;
            return Ok(Self::plain(program, version, Origin::Named));
        }
        let on_path = programs::on_path(PROGRAM);
        let mut too_old = None;
        if let Some(program) = on_path {
            match version(&mut Command::new(&program)) {
                Ok(version) => return Ok(Self::plain(program, version, Origin::Machine)),
                Err(problem) => too_old = Some(problem),
            }
        }
        private::find(cache)?.ok_or(QemuError::Missing { too_old })
    }

    /// Fetches one from Debian into the cache, unless that is there already. `mirror` is Debian's mirror, this machine's
    /// unless given. `progress` is told each step, in words.
    ///
    /// # Errors
    /// If it cannot be had, or does not run on this machine.
    pub fn fetch(
        cache: &Cache,
        mirror: Option<&str>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self, QemuError> {
        private::fetch(cache, mirror, progress)
    }

    /// A command that runs it, and ends it when this process ends; what it is to do may be added.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = programs::ending_with_parent(&self.program);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Its version, such as `10.0.13`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Where it is from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The program's file.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    fn plain(program: PathBuf, version: String, origin: Origin) -> Self {
        Self {
            version,
            origin,
            program,
            arguments: Vec::new(),
            environment: Vec::new(),
        }
    }
}

/// The version that a QEMU tells, or why it will not do.
fn version(command: &mut Command) -> Result<String, String> {
    let output = command
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    let Some(version) = told_version(&said) else {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said
            .lines()
            .next()
            .map_or_else(|| output.status.to_string(), ToOwned::to_owned);
        return Err(format!("it tells no version ({line})"));
    };
    if is_new_enough(version) {
        Ok(version.to_owned())
    } else {
        Err(format!("it is version {version}; expected {OLDEST} or later"))
    }
}

/// The version in a line like `QEMU emulator version 10.0.13 (Debian 1:10.0.13+ds-0+deb13u1)`.
fn told_version(said: &str) -> Option<&str> {
    let (_, version) = said.lines().next()?.split_once("QEMU emulator version ")?;
    version.split_whitespace().next()
}

fn is_new_enough(version: &str) -> bool {
    let major = version.split('.').next().and_then(|major| major.parse().ok());
    major.is_some_and(|major: u32| major >= OLDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_old_ones_refused() {
        let table = [
            (
                "QEMU emulator version 10.0.13 (Debian 1:10.0.13+ds-0+deb13u1)\nCopyright",
                Some("10.0.13"),
                true,
            ),
            ("QEMU emulator version 8.0.0\n", Some("8.0.0"), true),
            (
                "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\n",
                Some("7.2.22"),
                false,
            ),
            ("QEMU emulator version x", Some("x"), false),
            ("GNU bash, version 5.2", None, false),
            ("", None, false),
        ];
        for (said, version, enough) in table {
            assert_eq!(told_version(said), version, "{said}");
            assert_eq!(version.is_some_and(is_new_enough), enough, "{said}");
        }
    }

    #[test]
    fn what_is_no_qemu_is_refused_in_one_line() {
        for program in ["/bin/true", "/no/such/program", "/bin/ls"] {
            let problem = version(&mut Command::new(program)).unwrap_err();
            assert_eq!(problem.lines().count(), 1, "{problem}");
        }
    }
}
