//! Programs on the search path.

use std::{
    env,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The first executable file of this name on the search path.
#[must_use]
pub fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|program| is_executable(program))
}

/// A command that runs `program` and has the kernel kill it when the thread that starts it ends, however it does. Where
/// there is no setpriv(1) of util-linux to see to that, it just runs.
pub(crate) fn ending_with_parent(program: &Path) -> Command {
    const TIED: [&str; 2] = ["--pdeathsig", "KILL"];
    let tie = on_path("setpriv").filter(|setpriv| {
        let tried = Command::new(setpriv)
            .args(TIED)
            .arg("true")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        tried.is_ok_and(|status| status.success())
    });
    match tie {
        Some(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(TIED).arg(program);
            command
        }
        None => Command::new(program),
    }
}

fn is_executable(program: &Path) -> bool {
    program
        .metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
