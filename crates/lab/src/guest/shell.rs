use std::{
    fs::OpenOptions,
    io,
    process::{Command, Stdio},
};

use rustix::process::{ioctl_tiocsctty, setsid};

/// The first serial port. `/dev/console`, which is behind it, cannot be a controlling terminal.
const TERMINAL: &str = "/dev/ttyS0";
/// Where the lab packs the host's shell.
pub(crate) const SHELL: &str = "/bin/sh";

/// Gives the terminal to a shell until it ends.
pub(super) fn run() -> io::Result<()> {
    let terminal = OpenOptions::new().read(true).write(true).open(TERMINAL)?;
    // Without a session whose terminal this is, Ctrl-C would reach nobody.
    setsid()?;
    ioctl_tiocsctty(&terminal)?;
    // Its own status is for the person who has typed the last command.
    Command::new(SHELL)
        .arg("-i")
        .env("PATH", "/bin")
        .env("HOME", "/tmp")
        .current_dir("/tmp")
        .stdin(Stdio::from(terminal.try_clone()?))
        .stdout(Stdio::from(terminal.try_clone()?))
        .stderr(Stdio::from(terminal))
        .status()
        .map(drop)
}
