//! Room for one file descriptor per connection.

use std::fs;

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
    Raise(#[from] std::io::Error),
}

/// What to assume of the files that are open already, where the system does not tell.
const USUALLY_OPEN: u64 = 64;

/// Makes sure that this process can open `more` files, by raising its soft limit if need be.
///
/// # Errors
/// If the hard limit is too low.
pub fn reserve(more: u64) -> Result<(), DescriptorError> {
    let open = fs::read_dir("/proc/self/fd").map_or(USUALLY_OPEN, |files| files.count() as u64);
    let needed = open + more;
    match raised(&getrlimit(Resource::Nofile), needed)? {
        None => Ok(()),
        Some(limit) => Ok(setrlimit(Resource::Nofile, limit).map_err(std::io::Error::from)?),
    }
}

/// The limits to set so that `needed` files can be open; none if they can be already.
fn raised(limit: &Rlimit, needed: u64) -> Result<Option<Rlimit>, DescriptorError> {
    let allows = |bound: Option<u64>| bound.is_none_or(|bound| bound >= needed);
    match limit.maximum {
        _ if allows(limit.current) => Ok(None),
        Some(allowed) if allowed < needed => Err(DescriptorError::Limit { needed, allowed }),
        maximum => Ok(Some(Rlimit {
            current: maximum,
            maximum,
        })),
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
        assert_eq!(raised(&limits(1024, 4096), 1024).unwrap(), None);
        let unlimited = Rlimit {
            current: None,
            maximum: None,
        };
        assert_eq!(raised(&unlimited, u64::MAX).unwrap(), None);
    }

    #[test]
    fn a_low_soft_limit_is_raised_to_the_hard_one() {
        assert_eq!(
            raised(&limits(1024, 4096), 1025).unwrap(),
            Some(limits(4096, 4096))
        );
    }

    #[test]
    fn a_low_hard_limit_is_an_error_with_both_numbers() {
        let message = raised(&limits(1024, 4096), 5000).unwrap_err().to_string();
        assert!(
            message.starts_with("5000 open files needed, 4096 allowed"),
            "{message}"
        );
    }
}
