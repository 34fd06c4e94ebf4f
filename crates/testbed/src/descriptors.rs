//! Room for one file descriptor per connection.

use std::{fs, io};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use thiserror::Error;

/// Why there is no room for the files that are needed.
#[derive(Debug, Error)]
pub enum DescriptorError {
    /// The process may not open as many files as there are connections.
    #[error(
        "{needed} open files needed, {allowed} allowed; raise the limit (`ulimit -n {needed}`) or use fewer connections"
    )]
    Limit {
        /// File descriptors that are needed.
        needed: u64,
        /// The hard limit of this process.
        allowed: u64,
    },
    /// The system does not let this process raise its soft limit.
    #[error("cannot raise the limit of open files: {0}")]
    Raise(#[from] io::Error),
}

/// What to assume of the files that are open already, where the system does not tell.
const USUALLY_OPEN: u64 = 64;

/// Makes sure that this process can open `more` files, by raising its soft limit if need be.
///
/// # Errors
/// If the hard limit is too low.
pub fn reserve(more: u64) -> Result<(), DescriptorError> {
    let open = fs::read_dir("/proc/self/fd").map_or(USUALLY_OPEN, |files| files.count() as u64);
    if must_raise(&getrlimit(Resource::Nofile), open + more)? {
        raise()?;
    }
    Ok(())
}

/// Lets this process open as many files as its hard limit allows.
///
/// # Errors
/// The system's.
pub fn raise() -> io::Result<()> {
    let maximum = getrlimit(Resource::Nofile).maximum;
    Ok(setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    )?)
}

/// How many files this process may have open now.
pub(crate) fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Whether the soft limit has to be raised so that `needed` files can be open.
fn must_raise(limit: &Rlimit, needed: u64) -> Result<bool, DescriptorError> {
    let allows = |bound: Option<u64>| bound.is_none_or(|bound| bound >= needed);
    match limit.maximum {
        Some(allowed) if allowed < needed => Err(DescriptorError::Limit { needed, allowed }),
        _ => Ok(!allows(limit.current)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(current: u64, maximum: u64) -> Rlimit {
        Rlimit {
            current: Some(current),
            maximum: Some(maximum),
        }
    }

    #[test]
    fn a_sufficient_soft_limit_stays() {
        assert!(!must_raise(&limits(1024, 4096), 1024).unwrap());
        let unlimited = Rlimit {
            current: None,
            maximum: None,
        };
        assert!(!must_raise(&unlimited, u64::MAX).unwrap());
    }

    #[test]
    fn a_low_soft_limit_is_to_be_raised() {
        assert!(must_raise(&limits(1024, 4096), 1025).unwrap());
    }

    #[test]
    fn a_low_hard_limit_is_an_error_with_both_numbers() {
        let message = must_raise(&limits(1024, 4096), 5000).unwrap_err().to_string();
        assert!(
            message.starts_with("5000 open files needed, 4096 allowed"),
            "{message}"
        );
    }
}
