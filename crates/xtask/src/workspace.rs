//! Where things are in the checkout.

use std::path::{Path, PathBuf};

/// The root of the checkout, which holds the workspace's manifest.
pub(crate) fn root() -> &'static Path {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_dir.ancestors().nth(2).unwrap_or(crate_dir)
}

/// A path for things that checks leave behind: ignored by git, removed by `cargo clean`.
pub(crate) fn scratch(name: &str) -> PathBuf {
    root().join("target").join(name)
}
