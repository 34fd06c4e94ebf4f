//! What the primitive knows about the running kernel.

use std::fmt;
use std::time::Duration;

use super::Era;

/// The running kernel, as [`current`](super::current) and [`detect`](super::detect) found it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Kernel {
    /// What `sched_yield(2)` does here. Which era without the forfeit it is can take root to tell from outside;
    /// what a yield costs is then in `forfeits` all the same.
    pub era: Era,
    /// Whether a thread that yields beside one that does not forfeits the rest of its slice.
    pub forfeits: Finding,
    /// The slice of a thread that asked for none, where the kernel tells it.
    pub base_slice: Option<Duration>,
    /// Whether the kernel takes a slice per thread, as [`Policy::Capped`](crate::Policy::Capped) needs it; false
    /// also where this process may not set one.
    pub custom_slice: bool,
    /// Whether a slice ends when it is over (by a timer of its own, HRTICK) and not at the next tick, which can be
    /// several milliseconds later. A short slice costs its thread more where slices are exact.
    pub exact_slices: Finding,
    /// How long the two threads of the measurement were at it; zero if there was none.
    pub measured_for: Duration,
    /// How it was decided, one sentence each; including what could not be done, and why.
    pub evidence: Vec<String>,
}

/// The answer to a question about the kernel, with what it rests on.
///
/// ```
/// use cede::era::Finding;
///
/// assert_eq!(Finding::ByVersion(true).holds(), Some(true));
/// assert!(!Finding::ByVersion(true).is_measured());
/// assert_eq!(Finding::Unknown.holds(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Finding {
    /// The kernel was seen to behave like this.
    Measured(bool),
    /// Nothing was seen, or not clearly; this is what kernels of this version do unless they were patched.
    ByVersion(bool),
    /// Neither behaviour nor version tell.
    Unknown,
}

impl Finding {
    /// What was measured, or else the hint of the version.
    pub(crate) fn new(measured: Option<bool>, by_version: Option<bool>) -> Self {
        match (measured, by_version) {
            (Some(holds), _) => Self::Measured(holds),
            (None, Some(holds)) => Self::ByVersion(holds),
            (None, None) => Self::Unknown,
        }
    }

    /// The answer, if there is one.
    #[must_use]
    pub const fn holds(self) -> Option<bool> {
        match self {
            Self::Measured(holds) | Self::ByVersion(holds) => Some(holds),
            Self::Unknown => None,
        }
    }

    /// Whether the answer is certain: seen, and not guessed from the version.
    #[must_use]
    pub const fn is_measured(self) -> bool {
        matches!(self, Self::Measured(_))
    }
}

/// A word or two for people.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Measured(true) => "yes",
            Self::Measured(false) => "no",
            Self::ByVersion(true) => "yes, by version",
            Self::ByVersion(false) => "no, by version",
            Self::Unknown => "unknown",
        })
    }
}

/// What [`detect`](super::detect) may go by. Everything, unless one wants to know whether it would be right
/// without.
///
/// ```
/// use cede::era::Witnesses;
///
/// assert_eq!(Witnesses::ALL, Witnesses::default());
/// assert_ne!(Witnesses::ALL, Witnesses::ALL.without_version());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witnesses {
    pub(crate) version: bool,
    pub(crate) accounts: bool,
}

impl Witnesses {
    /// Everything that there is.
    pub const ALL: Self = Self {
        version: true,
        accounts: true,
    };

    /// The same without the kernel's version, as on a kernel that hides it or that somebody has patched.
    #[must_use]
    pub const fn without_version(self) -> Self {
        Self {
            version: false,
            ..self
        }
    }

    /// The same without the kernel's accounts of a thread (`/proc/thread-self/sched`), as on a kernel that was
    /// built without `CONFIG_SCHED_DEBUG` or where `/proc` is not mounted.
    #[must_use]
    pub const fn without_accounts(self) -> Self {
        Self {
            accounts: false,
            ..self
        }
    }
}

impl Default for Witnesses {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_goes_before_the_version() {
        assert_eq!(Finding::new(Some(false), Some(true)), Finding::Measured(false));
        assert_eq!(Finding::new(None, Some(true)), Finding::ByVersion(true));
        assert_eq!(Finding::new(None, None), Finding::Unknown);
    }
}
