//! Many sessions that come and go, under policies that change: no request is lost, and no thread waits for ever.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use cede::{Class, Domain, Policy, Session, Snapshot};

const THREADS: u64 = 64;
const REQUESTS_PER_SESSION: u64 = 4;

/// How long a request takes that is one of many. It sleeps, so that the tests need no CPU to themselves.
const SHORT: Duration = Duration::from_millis(1);

/// A request that takes so many times as long is overdue for most of its time, and not yet hopeless.
const SLOW: u32 = 20;

/// Enough for the mean to be learnt, and then some.
const LESSONS: u64 = 64;

/// How many sessions each thread has, one after the other. Instrumented runs ask for fewer.
fn sessions_per_thread() -> u64 {
    let fewer = std::env::var("CEDE_STRESS_SESSIONS").ok();
    fewer.and_then(|number| number.parse().ok()).unwrap_or(100)
}

/// A sequence of numbers by seed (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn class(&mut self) -> Class {
        match self.below(4) {
            0 => Class::Unknown,
            1 => Class::Short,
            2 => Class::Long,
            _ => Class::Kind(u8::try_from(self.below(8)).unwrap_or_default()),
        }
    }

    fn pause(&mut self) {
        match self.below(4) {
            0 => thread::sleep(Duration::from_micros(self.below(300))),
            1 => drop((0..self.below(20_000)).map(std::hint::black_box).sum::<u64>()),
            _ => {}
        }
    }
}

/// What only ever grows.
fn counters(seen: &Snapshot) -> [u128; 5] {
    [
        seen.sessions_total.into(),
        seen.requests.into(),
        seen.parks.into(),
        seen.calls.into(),
        seen.parked.as_nanos(),
    ]
}

/// Some requests, and then its end: between two requests, with a request under way, or by a panic in one. Counts the
/// requests in `begun`.
fn live(mut session: Session, dice: &mut Dice, begun: &AtomicU64) {
    for _ in 0..REQUESTS_PER_SESSION {
        session.idle(|| dice.pause());
        let request = session.begin(dice.class());
        begun.fetch_add(1, Relaxed);
        dice.pause();
        match dice.below(20) {
            0 => return,
            // The hook for panics would print a line for each.
            1 => resume_unwind(Box::new("a panic with a request under way")),
            _ => session = request.finish(),
        }
        if dice.below(2) == 0 {
            session.yield_point();
        }
    }
}

#[test]
fn sessions_come_and_go_under_changing_policies() {
    const POLICIES: [Policy; 7] = [
        Policy::Patience,
        Policy::Auto,
        Policy::None,
        Policy::Patience,
        Policy::Age,
        Policy::Budgeted,
        Policy::Native,
    ];
    let domain = Domain::new(Policy::Patience);
    let (begun, panics, done) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|seed| {
                let (domain, begun, panics) = (&domain, &begun, &panics);
                scope.spawn(move || {
                    let mut dice = Dice(seed);
                    for _ in 0..sessions_per_thread() {
                        let life = AssertUnwindSafe(|| live(domain.session(), &mut dice, begun));
                        panics.fetch_add(u64::from(catch_unwind(life).is_err()), Relaxed);
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            for policy in POLICIES.iter().cycle() {
                if done.load(Relaxed) {
                    break;
                }
                domain.set_policy(*policy);
                thread::sleep(SHORT);
            }
        });
        scope.spawn(|| {
            let mut earlier = domain.snapshot();
            while !done.load(Relaxed) {
                let seen = domain.snapshot();
                assert!(seen.sessions <= THREADS && seen.sessions <= seen.sessions_total);
                for (now, before) in counters(&seen).iter().zip(counters(&earlier)) {
                    assert!(*now >= before, "{earlier:?} {seen:?}");
                }
                earlier = seen;
                thread::sleep(SHORT);
            }
        });
        let results: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Relaxed);
        assert!(results.iter().all(Result::is_ok));
    });
    let seen = domain.snapshot();
    assert_eq!(seen.sessions, 0);
    assert_eq!(seen.sessions_total, THREADS * sessions_per_thread());
    assert_eq!(seen.requests, begun.into_inner());
    assert!(panics.into_inner() > 0);
}

/// Carries out a request that takes `times` times as long as a short one.
fn carry_out(session: Session, times: u32) -> Session {
    let request = session.begin(Class::Unknown);
    for _ in 0..times {
        thread::sleep(SHORT);
    }
    request.finish()
}

/// Carries out so many short requests, on as many threads as there are.
fn crowd(domain: &Domain, threads: u64, requests: u64) {
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                (0..requests).fold(domain.session(), |session, _| carry_out(session, 1));
            });
        }
    });
}

/// One request takes long, time and again; the others are held back for it, and all end.
#[test]
fn requests_are_parked_while_one_takes_long() {
    /// Only so that a gate that never parks fails the test instead of hanging it.
    const ATTEMPTS: u32 = 1000;
    let domain = Domain::new(Policy::Patience);
    crowd(&domain, 1, LESSONS);
    let (mut requests, mut attempts) = (LESSONS, 0);
    while domain.snapshot().parks == 0 && attempts < ATTEMPTS {
        thread::scope(|scope| {
            scope.spawn(|| drop(carry_out(domain.session(), SLOW)));
            crowd(&domain, 4, 10);
        });
        requests += 41;
        attempts += 1;
    }
    let seen = domain.snapshot();
    assert!(seen.parks > 0 && !seen.parked.is_zero());
    assert_eq!((seen.requests, seen.sessions), (requests, 0));
}

/// One request hangs, and another one's thread has ended without finishing it. The others wait for neither.
#[test]
fn requests_that_never_finish_do_not_stop_the_others() {
    const CROWD: u64 = 8;
    const REQUESTS: u64 = 50;
    let domain = Domain::new(Policy::Patience);
    crowd(&domain, 1, LESSONS);
    let hanging = domain.session().begin(Class::Long);
    thread::scope(|scope| {
        scope.spawn(|| std::mem::forget(domain.session().begin(Class::Long)));
    });
    crowd(&domain, CROWD, REQUESTS);
    assert_eq!(domain.snapshot().requests, LESSONS + 2 + CROWD * REQUESTS);
    drop(hanging);
    assert_eq!(domain.snapshot().sessions, 1);
}
