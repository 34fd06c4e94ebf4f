//! A domain from the outside: threads come and go while others look.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use cede::{Class, Decision, Domain, Policy, Snapshot};

const THREADS: u64 = 64;
const SESSIONS_PER_THREAD: u64 = 20;
const CALLS_PER_SESSION: u64 = 25;

/// Everything that only ever grows.
fn counters(seen: &Snapshot) -> [u128; 8] {
    [
        seen.sessions_total.into(),
        seen.calls.into(),
        seen.yields.into(),
        seen.naps.into(),
        seen.switched.into(),
        seen.histogram.count().into(),
        seen.inside.as_nanos(),
        seen.off_cpu.as_nanos(),
    ]
}

fn churn(domain: &Domain) {
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..SESSIONS_PER_THREAD {
                    let mut session = domain.session();
                    for _ in 0..CALLS_PER_SESSION {
                        session.yield_point();
                    }
                }
            });
        }
    });
}

/// Looks at the domain until told to stop, and checks that nothing ever goes back.
fn watch(domain: &Domain, done: &AtomicBool) -> u64 {
    let mut looks = 0;
    let mut earlier = domain.snapshot();
    // At least once, also if all is over before this thread gets a CPU.
    loop {
        let seen = domain.snapshot();
        for (now, before) in counters(&seen).into_iter().zip(counters(&earlier)) {
            assert!(now >= before, "went back: {earlier:?} then {seen:?}");
        }
        assert!(seen.sessions <= THREADS);
        earlier = seen;
        looks += 1;
        if done.load(Relaxed) {
            return looks;
        }
    }
}

#[test]
fn no_count_is_lost_while_sessions_end_under_observation() {
    for policy in [Policy::None, Policy::Native] {
        let domain = Domain::new(policy);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let watchers: Vec<_> = (0..2).map(|_| scope.spawn(|| watch(&domain, &done))).collect();
            churn(&domain);
            done.store(true, Relaxed);
            for watcher in watchers {
                assert!(watcher.join().unwrap() > 0, "the watcher never looked");
            }
        });
        let seen = domain.snapshot();
        let calls = THREADS * SESSIONS_PER_THREAD * CALLS_PER_SESSION;
        let yields = if policy == Policy::Native { calls } else { 0 };
        assert_eq!(
            (seen.sessions, seen.sessions_total),
            (0, THREADS * SESSIONS_PER_THREAD)
        );
        assert_eq!((seen.calls, seen.yields, seen.naps), (calls, yields, 0));
        assert_eq!(seen.histogram.count(), yields);
        assert!(seen.switched <= yields && seen.off_cpu <= seen.inside);
    }
}

#[test]
fn a_session_counts_for_itself_and_for_its_domain() {
    let domain = Domain::new(Policy::Nap);
    let mut one = domain.session();
    let mut other = domain.clone().session();
    assert_eq!(one.yield_point().decision, Decision::Nap);
    one.yield_point();
    other.yield_point();
    assert_eq!(one.counters().naps, 2);
    assert_eq!(other.counters().naps, 1);
    let seen = domain.snapshot();
    assert_eq!((seen.sessions, seen.naps, seen.histogram.count()), (2, 3, 3));
    assert_eq!(seen.inside, one.counters().inside + other.counters().inside);
    drop(other);
    drop(one);
    let mut ended = seen;
    ended.sessions = 0;
    assert_eq!(
        domain.snapshot(),
        ended,
        "ending changes nothing but the number alive"
    );
}

#[test]
fn sessions_may_outlive_their_domain() {
    let domain = Domain::new(Policy::Native);
    let mut session = domain.session();
    drop(domain);
    session.yield_point();
    assert_eq!(session.counters().calls, 1);
}

#[test]
fn domains_go_between_threads() {
    fn assert_send_and_sync<T: Send + Sync + Clone>() {}
    assert_send_and_sync::<Domain>();
}

#[test]
fn requests_under_way_are_a_level() {
    let domain = Domain::new(Policy::Auto);
    let (idle, begins) = (domain.session(), domain.session());
    assert_eq!(domain.snapshot().active, 0);
    let request = begins.begin(Class::Unknown);
    assert_eq!(domain.snapshot().active, 1);
    let mut over = request.finish();
    over.yield_point();
    assert_eq!(domain.snapshot().active, 0);
    drop(idle);
}
