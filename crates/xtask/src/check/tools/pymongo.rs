use std::{
    path::{Path, PathBuf},
    process::Command,
};

use super::{ToolError, debian};
use crate::{command::run, workspace};

/// The driver that the wire protocol is tested with, in one version, so that every machine tests the same.
const VERSION: &str = "4.20.1";

/// The Python of a virtual environment that has PyMongo, which is made if need be.
pub(in crate::check) fn pymongo() -> Result<PathBuf, ToolError> {
    let environment = workspace::scratch("pymongo");
    let python = environment.join("bin/python3");
    if has_pymongo(&python) {
        return Ok(python);
    }
    println!("installing PyMongo {VERSION}");
    if make(&environment).is_err() {
        // Debian splits Python up: without its venv package, `python3 -m venv` fails.
        debian::install(
            "python3 with venv and pip",
            &["python3", "python3-venv", "python3-pip"],
        )?;
        make(&environment)?;
    }
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .arg(format!("pymongo=={VERSION}")))?;
    Ok(python)
}

fn make(environment: &Path) -> Result<(), ToolError> {
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(environment))?;
    Ok(())
}

fn has_pymongo(python: &Path) -> bool {
    let import = format!("import pymongo, sys; sys.exit(pymongo.version != '{VERSION}')");
    debian::answers(Command::new(python).args(["-c", &import]))
}
