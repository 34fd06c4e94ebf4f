//! A group of threads under one policy.

use std::fmt;
use std::sync::Arc;

use crate::policy::Policy;
use crate::registry::Registry;
use crate::session::Session;
use crate::snapshot::Snapshot;

/// The connection threads of one server: they share a policy and are counted together.
///
/// Cheap to clone; clones are the same domain. It may outlive its sessions, and they it.
///
/// ```
/// use cede::{Domain, Policy};
///
/// let domain = Domain::new(Policy::None);
/// let mut session = domain.session();
/// session.yield_point();
/// assert_eq!(domain.snapshot().sessions, 1);
/// drop(session);
///
/// let seen = domain.snapshot();
/// assert_eq!((seen.sessions, seen.sessions_total, seen.calls), (0, 1, 1));
/// ```
#[derive(Clone)]
pub struct Domain {
    policy: Policy,
    registry: Arc<Registry>,
}

impl Domain {
    /// A domain without sessions.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            registry: Arc::default(),
        }
    }

    /// The policy of all its sessions.
    #[must_use]
    pub const fn policy(&self) -> Policy {
        self.policy
    }

    /// Makes the calling thread a session of this domain, until the [`Session`] is dropped.
    ///
    /// Sets the thread up as the policy needs it, with a few system calls. That cannot fail: a kernel that
    /// does not go along makes the session less effective, and [`Session::slice`] and [`Snapshot`] say so.
    #[must_use = "the session ends when it is dropped"]
    pub fn session(&self) -> Session {
        Session::start(self.policy, Arc::clone(&self.registry))
    }

    /// What all sessions counted so far, those that have ended included.
    ///
    /// Stops no session, but reads 4 KiB for each that is alive: made for once a second rather than once a
    /// request.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.registry.snapshot()
    }
}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Domain")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
