//! Packages of the operating system: installed by root on Debian and its like, asked for everywhere else.

use std::process::{Command, Stdio};

use super::ToolError;
use crate::command::run;

/// A C++ compiler, which the fuzzing engine is built with.
pub(super) fn ensure_cxx() -> Result<(), ToolError> {
    if answers(Command::new("c++").arg("--version")) {
        return Ok(());
    }
    install("a C++ compiler", &["g++"])
}

/// Valgrind, by the name that it is started by.
pub(in crate::check) fn valgrind() -> Result<&'static str, ToolError> {
    const VALGRIND: &str = "valgrind";
    // Its suppressions for glibc need the names of functions there.
    if !answers(Command::new(VALGRIND).arg("--version")) {
        install("Valgrind", &[VALGRIND, "libc6-dbg"])?;
    }
    Ok(VALGRIND)
}

/// The header and the library of WiredTiger.
pub(in crate::check) fn wiredtiger() -> Result<(), ToolError> {
    // Nothing but the header, from a file that includes nothing else.
    let mut header = Command::new("cc");
    header.args([
        "-fsyntax-only",
        "-include",
        "wiredtiger.h",
        "-x",
        "c",
        "/dev/null",
    ]);
    if answers(&mut header) {
        return Ok(());
    }
    install("WiredTiger", &["libwiredtiger-dev"])
}

/// Installs `packages`, or says that `what` is missing.
pub(super) fn install(what: &'static str, packages: &[&str]) -> Result<(), ToolError> {
    if !is_root() || !answers(Command::new("apt-get").arg("--version")) {
        return Err(ToolError::Missing {
            what,
            packages: packages.join(" "),
        });
    }
    println!("installing {}", packages.join(" "));
    run(Command::new("apt-get").args(["update", "-qq"]))?;
    run(Command::new("apt-get")
        .args(["install", "-qq", "-y", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(())
}

/// Whether the program is there and content with its arguments.
pub(super) fn answers(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
