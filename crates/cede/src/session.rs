//! One connection thread.

use crate::class::Class;
use crate::decision::Pause;
use crate::member::Member;
use crate::request::Request;
use crate::slice::SliceState;
use crate::snapshot::Snapshot;

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
///
/// A request cannot be begun twice, since beginning one takes the session until it is finished:
///
/// ```compile_fail,E0382
/// use cede::{Class, Domain};
///
/// let session = Domain::default().session();
/// let one = session.begin(Class::Unknown);
/// let other = session.begin(Class::Unknown);
/// ```
#[derive(Debug)]
pub struct Session {
    /// In a box, so that a session that becomes a request and back is not copied.
    member: Box<Member>,
}

impl Session {
    pub(crate) const fn new(member: Box<Member>) -> Self {
        Self { member }
    }

    /// Offers the CPU. Whether it is given away, and how, is the policy's business.
    ///
    /// Call it where the thread holds no lock and others can be let past, in a server between two requests.
    /// A policy that keeps the CPU makes this a few instructions without a system call.
    pub fn yield_point(&mut self) -> Pause {
        self.member.yield_point()
    }

    /// Begins a request, maybe not at once: while others have waited for too long, the policy may hold it back. The
    /// thread then waits for one of them to finish, some milliseconds at a time, and in general for no longer than it would
    /// have others wait.
    ///
    /// Call it when the request has arrived and before anything is taken for it: no lock, no ticket, no snapshot.
    /// Nobody can be blocked by a thread that waits in here, because it holds nothing.
    #[must_use = "the request is over when it is dropped, and with it the session"]
    pub fn begin(mut self, class: Class) -> Request {
        self.member.begin(class);
        Request::new(self.member)
    }

    /// Marks time in which the thread has nothing to do, around a blocking receive, and gives what `wait` gives.
    ///
    /// A thread that was blocked has given its CPU away for free: [`Policy::Budgeted`](crate::Policy::Budgeted) begins
    /// to count anew.
    ///
    /// ```
    /// # fn receive() -> Option<u8> { None }
    /// let mut session = cede::Domain::default().session();
    /// while let Some(_request) = session.idle(receive) {
    ///     // ...
    /// }
    /// ```
    pub fn idle<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        let result = wait();
        self.member.was_away();
        result
    }

    /// What became of the policy's wish for a slice of the thread's own.
    #[must_use]
    pub fn slice(&self) -> SliceState {
        self.member.slice()
    }

    /// What this session alone counted so far.
    #[must_use]
    pub fn counters(&self) -> Snapshot {
        self.member.counters()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::hint::black_box;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::sys;
    use crate::{Domain, Policy};

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
