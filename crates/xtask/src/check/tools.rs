//! What the steps need beside a Rust toolchain, installed below `target/` where that is possible.

mod cargo_tool;
mod components;
mod debian;
mod lab;
mod node;
mod pymongo;

use thiserror::Error;

use self::cargo_tool::CargoTool;
pub(super) use self::{
    components::has_miri, debian::valgrind, debian::wiredtiger, lab::lab, node::node_modules,
    pymongo::pymongo,
};
use crate::command::CommandError;

pub(super) const DENY: CargoTool = CargoTool {
    name: "cargo-deny",
    version: "0.20.2",
};
pub(super) const FUZZ: CargoTool = CargoTool {
    name: "cargo-fuzz",
    version: "0.13.2",
};

/// Only for releases: installing it takes minutes.
pub(super) const SEMVER_CHECKS: CargoTool = CargoTool {
    name: "cargo-semver-checks",
    version: "0.51.0",
};

/// Why a tool is not there.
#[derive(Debug, Error)]
pub(super) enum ToolError {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error("cannot write {path}: {source}")]
    Folder { path: String, source: std::io::Error },
    #[error("{what} is missing: install it (Debian: apt-get install {packages}) and run again")]
    Missing { what: &'static str, packages: String },
}

/// Installs everything that is missing, goes on after a failure, and says each; the first one is the result.
pub(super) fn ensure_all() -> Result<(), ToolError> {
    let results = [
        components::ensure(),
        debian::ensure_cxx(),
        valgrind().map(drop),
        pymongo().map(drop),
        node_modules().map(drop),
        lab().map(drop),
        FUZZ.command().map(drop),
        DENY.command().map(drop),
    ];
    for error in results.iter().filter_map(|result| result.as_ref().err()) {
        println!("{error}");
    }
    results.into_iter().collect()
}
