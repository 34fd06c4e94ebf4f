//! One connection thread.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::counters::Counters;
use crate::decision::Pause;
use crate::executor;
use crate::policy::Policy;
use crate::registry::{Registry, SessionId, count_session};
use crate::slice::SliceState;
use crate::snapshot::Snapshot;
use crate::thread_setup::ThreadSetup;

/// A thread known to a [`Domain`](crate::Domain). Made by [`Domain::session`](crate::Domain::session).
///
/// Dropping it gives the thread its earlier slice and timer slack back and leaves the counts with the domain.
/// Sessions of one thread may nest; the innermost has to end first, or it puts back what the outer one set.
///
/// ```
/// use cede::{Domain, Policy};
///
/// let mut session = Domain::new(Policy::Native).session();
/// let pause = session.yield_point();
/// println!("away for {:?}, switched out: {}", pause.inside, pause.switched);
/// assert_eq!(session.counters().yields, 1);
/// ```
///
/// It belongs to the thread that made it, whose settings it changed, and cannot be sent to another:
///
/// ```compile_fail,E0277
/// let mut session = cede::Domain::new(cede::Policy::Native).session();
/// std::thread::spawn(move || session.yield_point());
/// ```
#[derive(Debug)]
pub struct Session {
    policy: Policy,
    counters: Arc<Counters>,
    registry: Arc<Registry>,
    id: SessionId,
    setup: ThreadSetup,
    /// Raw pointers are neither `Send` nor `Sync`.
    belongs_to_its_thread: PhantomData<*const ()>,
}

impl Session {
    pub(crate) fn start(policy: Policy, registry: Arc<Registry>) -> Self {
        let setup = policy.prepare();
        let counters = Arc::default();
        let id = registry.enter(&counters, setup.slice());
        Self {
            policy,
            counters,
            registry,
            id,
            setup,
            belongs_to_its_thread: PhantomData,
        }
    }

    /// Offers the CPU. Whether it is given away, and how, is the policy's business.
    ///
    /// Call it where the thread holds no lock and others can be let past, in a server between two requests.
    /// A policy that keeps the CPU makes this a few instructions without a system call.
    pub fn yield_point(&mut self) -> Pause {
        let pause = executor::carry_out(self.policy.decide());
        self.counters.record(&pause);
        pause
    }

    /// What became of the policy's wish for a slice of the thread's own.
    #[must_use]
    pub const fn slice(&self) -> SliceState {
        self.setup.slice()
    }

    /// What this session alone counted so far.
    #[must_use]
    pub fn counters(&self) -> Snapshot {
        let mut own = Snapshot {
            sessions: 1,
            ..Snapshot::default()
        };
        count_session(self.slice(), &mut own);
        self.counters.add_to(&mut own);
        own
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.registry.retire(self.id);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::hint::black_box;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::Domain;
    use crate::sys;

    /// The kernel switches when it sees fit, so the session yields until it does; the limit is there only
    /// to fail instead of hanging.
    #[test]
    fn a_yield_beside_a_busy_thread_is_seen_to_switch() {
        const LIMIT: Duration = Duration::from_secs(20);
        let cpu = sys::allowed_cpus().unwrap()[0];
        let (busy_runs, done) = (AtomicBool::new(false), AtomicBool::new(false));
        let start = Instant::now();
        let seen = thread::scope(|scope| {
            scope.spawn(|| {
                sys::pin_to(cpu).unwrap();
                busy_runs.store(true, Relaxed);
                while !done.load(Relaxed) && start.elapsed() < LIMIT {
                    black_box(0);
                }
            });
            let yielding = scope.spawn(|| {
                sys::pin_to(cpu).unwrap();
                let mut session = Domain::new(Policy::Native).session();
                while !busy_runs.load(Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
                while !session.yield_point().switched && start.elapsed() < LIMIT {}
                session.counters()
            });
            let seen = yielding.join().unwrap();
            done.store(true, Relaxed);
            seen
        });
        assert_eq!(seen.switched, 1);
        assert_eq!(seen.histogram.count(), seen.yields);
        assert!(!seen.off_cpu.is_zero() && seen.off_cpu <= seen.inside);
    }

    #[test]
    fn a_napping_session_shortens_the_slack_for_as_long_as_it_lives() {
        sys::set_timer_slack(30_000).unwrap();
        let session = Domain::new(Policy::Nap).session();
        assert_eq!(sys::timer_slack().unwrap(), 1);
        assert_eq!(session.slice(), SliceState::Unchanged);
        drop(session);
        assert_eq!(sys::timer_slack().unwrap(), 30_000);
    }

    #[test]
    fn a_capped_session_has_its_slice_for_as_long_as_it_lives() {
        let before = sys::sched_attr().unwrap();
        let domain = Domain::new(Policy::Capped {
            slice: Duration::from_micros(500),
        });
        let session = domain.session();
        let during = sys::sched_attr().unwrap();
        if before.sched_runtime == 0 {
            assert_eq!(session.slice(), SliceState::NotHonoured);
            assert_eq!(domain.snapshot().slices_not_honoured, 1);
        } else {
            assert_eq!(session.slice(), SliceState::Applied(Duration::from_micros(500)));
            assert_eq!(during.sched_runtime, 500_000);
        }
        drop(session);
        assert_eq!(sys::sched_attr().unwrap(), before);
    }
}
