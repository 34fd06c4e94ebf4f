use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use super::{ToolError, debian};
use crate::{command::run, workspace};

/// Where the clients and their versions are listed, relative to the root.
const LIST: &str = "crates/cli/tests/clients";
const FILES: [&str; 2] = ["package.json", "package-lock.json"];
/// Exits with 0 if Node is as new as the driver asks for.
const NEW_ENOUGH: &str = "const [a, b] = process.versions.node.split('.').map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)";

/// The folder with the Node driver and mongosh, which are installed if need be; none on a machine where there is no Node
/// that they run on.
pub(in crate::check) fn node_modules() -> Result<Option<PathBuf>, ToolError> {
    if !answers("node", &["-e", NEW_ENOUGH]) || !answers("npm", &["--version"]) {
        // What a distribution has may be too old as well: then there is nothing to test with.
        let _missing = debian::install("Node with npm", &["nodejs", "npm"]);
    }
    if !answers("node", &["-e", NEW_ENOUGH]) || !answers("npm", &["--version"]) {
        println!(
            "Node 20.19 or later with npm is missing: the tests of the Node driver and mongosh are skipped"
        );
        return Ok(None);
    }
    let folder = workspace::scratch("clients");
    let modules = folder.join("node_modules");
    // npm writes this file last.
    if is_current(&folder) && modules.join(".package-lock.json").exists() {
        return Ok(Some(modules));
    }
    println!("installing the Node driver and mongosh");
    copy_list(&folder).map_err(|source| ToolError::Folder {
        path: folder.display().to_string(),
        source,
    })?;
    run(Command::new("npm")
        .args([
            "ci",
            "--ignore-scripts",
            "--omit=optional",
            "--no-audit",
            "--no-fund",
        ])
        .args(["--loglevel=error", "--prefix"])
        .arg(&folder))?;
    Ok(Some(modules))
}

fn answers(program: &str, arguments: &[&str]) -> bool {
    debian::answers(Command::new(program).args(arguments))
}

/// Whether the folder was made for the versions that are listed now.
fn is_current(folder: &Path) -> bool {
    FILES.iter().all(|file| {
        let listed = fs::read(workspace::root().join(LIST).join(file));
        matches!((listed, fs::read(folder.join(file))), (Ok(listed), Ok(copied)) if listed == copied)
    })
}

fn copy_list(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for file in FILES {
        fs::copy(workspace::root().join(LIST).join(file), folder.join(file))?;
    }
    Ok(())
}
