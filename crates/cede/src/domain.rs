//! A group of threads under one policy.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::class::Costs;
use crate::cpus::Follower;
use crate::era;
use crate::gate::Gate;
use crate::member::Member;
use crate::policy::Policy;
use crate::registry::Registry;
use crate::session::Session;
use crate::snapshot::Snapshot;
use crate::spin::Ring;
use crate::sys;

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
    shared: Arc<Shared>,
}

/// What the sessions of a domain share.
#[derive(Debug)]
pub(crate) struct Shared {
    policy: Mutex<Policy>,
    /// Moves on with each change of the policy, so that sessions notice by a load.
    generation: AtomicU32,
    cpus: Follower,
    pub(crate) registry: Registry,
    pub(crate) gate: Gate,
    pub(crate) costs: Costs,
    pub(crate) ring: Ring,
}

impl Domain {
    /// A domain without sessions.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self {
            shared: Arc::new(Shared::new(policy)),
        }
    }

    /// The domain of the process, under [`Policy::Auto`] until that is changed. Threads that call
    /// [`yield_now`](crate::yield_now) are sessions of it.
    #[must_use]
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<Domain> = OnceLock::new();
        GLOBAL.get_or_init(Self::default)
    }

    /// The policy of all its sessions.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.shared.policy().0
    }

    /// Changes the policy while the sessions run: each goes by it from its next yield point or request on. A request that
    /// is held back at that moment goes on by the rules that held it back.
    ///
    /// ```
    /// use cede::{Decision, Domain, Policy};
    ///
    /// let domain = Domain::new(Policy::None);
    /// let mut session = domain.session();
    /// assert_eq!(session.yield_point().decision, Decision::Stay);
    /// domain.set_policy(Policy::Native);
    /// assert_eq!(session.yield_point().decision, Decision::Yield);
    /// ```
    pub fn set_policy(&self, policy: Policy) {
        self.shared.set_policy(policy);
    }

    /// Makes the calling thread a session of this domain, until the [`Session`] is dropped.
    ///
    /// Sets the thread up as the policy needs it, with a few system calls. That cannot fail: a kernel that
    /// does not go along makes the session less effective, and [`Session::slice`] and [`Snapshot`] say so.
    #[must_use = "the session ends when it is dropped"]
    pub fn session(&self) -> Session {
        Session::new(Box::new(Member::start(Arc::clone(&self.shared))))
    }

    /// What all sessions counted so far, those that have ended included.
    ///
    /// Stops no session, but reads 4 KiB for each that is alive: made for once a second rather than once a
    /// request.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let (active, patience) = self.shared.gate.levels();
        Snapshot {
            active,
            patience,
            ..self.shared.registry.snapshot()
        }
    }
}

impl Shared {
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            policy: Mutex::new(policy),
            generation: AtomicU32::new(0),
            cpus: Follower::start(sys::monotonic_ns()),
            registry: Registry::default(),
            gate: Gate::default(),
            costs: Costs::default(),
            ring: Ring::default(),
        }
    }

    pub(crate) fn set_policy(&self, policy: Policy) {
        let mut current = self.policy.lock().unwrap_or_else(PoisonError::into_inner);
        *current = policy;
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// The policy, and the generation from which it is.
    pub(crate) fn policy(&self) -> (Policy, u32) {
        let policy = self.policy.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that the two belong together.
        (*policy, self.generation())
    }

    pub(crate) fn generation(&self) -> u32 {
        // Acquire: who sees a new generation finds the policy that goes with it. The lock would do that too.
        self.generation.load(Ordering::Acquire)
    }

    /// Tells the gate how many CPUs there are now, and of what length the kernel's slices are once that is known.
    pub(crate) fn follow(&self, now: u64) {
        let slice = era::try_current().and_then(|kernel| kernel.base_slice);
        self.gate.set_supply(self.cpus.get(now), slice);
    }
}

/// A domain of its own, under [`Policy::Auto`].
impl Default for Domain {
    fn default() -> Self {
        Self::new(Policy::default())
    }
}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Domain")
            .field("policy", &self.policy())
            .finish_non_exhaustive()
    }
}
