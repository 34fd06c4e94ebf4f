use std::{fs, io, time::Duration};

use thiserror::Error;

const FILE: &str = "/sys/kernel/debug/sched/base_slice_ns";

/// Holds the host's EEVDF base slice at a value. Dropping it restores the one before.
#[derive(Debug)]
pub struct BaseSlice {
    before: String,
}

/// Why the host's base slice cannot be set.
#[derive(Debug, Error)]
#[error("cannot set {FILE}: {source}; expected root, a mounted debugfs and an EEVDF kernel (6.6 or later)")]
pub struct BaseSliceError {
    source: io::Error,
}

impl BaseSlice {
    /// Sets the base slice of the whole host.
    ///
    /// # Errors
    /// If the kernel has no such setting or does not let this user change it.
    pub fn hold(slice: Duration) -> Result<Self, BaseSliceError> {
        let error = |source| BaseSliceError { source };
        let before = fs::read_to_string(FILE).map_err(error)?;
        fs::write(FILE, slice.as_nanos().to_string()).map_err(error)?;
        Ok(Self { before })
    }
}

impl Drop for BaseSlice {
    fn drop(&mut self) {
        // It could be written a moment ago; if it no longer can, there is nobody left to tell.
        let _unwritable = fs::write(FILE, self.before.trim());
    }
}
