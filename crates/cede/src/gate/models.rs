//! Models of the gate, for loom: it runs each of them in every order of steps within its bounds, and with every value
//! that the memory model lets a load give. Run by `cargo xtask check loom`.
//!
//! Time stands still in here and no park ends by itself, so that a wake-up that is lost is a deadlock, which loom
//! reports.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64 as Count, Ordering::Relaxed};
use std::time::Duration;

use loom::thread;

use super::{Gate, Slot, Work};
use crate::policy::Policy;
use crate::sync::now_ns;

const POLICY: Policy = Policy::Patience;

/// What requests took so far, and for how long the oldest ones are under way: too long, but not hopeless.
const MEAN_NS: u64 = 1_000_000;
const OVERDUE_NS: u64 = 10 * MEAN_NS;

/// Enough for the mean to be learnt at once.
const LESSON: u64 = 1000;

/// Two are enough for the models to fail without any of the steps that they are there for; with three they take twenty
/// times as long.
const PREEMPTIONS: usize = 2;

/// Loom's own limit of steps is for smaller things than a gate.
const STEPS: usize = 10_000;

/// Runs `scene`, which gives how often a thread was parked in it. A model in which nobody ever is shows nothing.
fn model(scene: impl Fn() -> u64 + Send + Sync + 'static) {
    let parks = Arc::new(Count::new(0));
    let mut loom = loom::model::Builder::new();
    loom.preemption_bound = Some(PREEMPTIONS);
    loom.max_branches = STEPS;
    let counted = Arc::clone(&parks);
    loom.check(move || {
        counted.fetch_add(scene(), Relaxed);
    });
    assert!(parks.load(Relaxed) > 0);
}

/// A gate that is closed, and the sessions whose requests close it, the oldest first.
fn closed<const OVERDUE: usize>() -> (Arc<Gate>, [Arc<Slot>; OVERDUE]) {
    let gate = Arc::new(Gate::default());
    let earlier = gate.enter();
    earlier.book(&Work {
        timed: LESSON,
        timed_ns: LESSON * MEAN_NS,
        ..Work::default()
    });
    gate.leave(&earlier);
    gate.observe();
    let mut began = now_ns() - OVERDUE_NS;
    let overdue = std::array::from_fn(|_| {
        let slot = gate.enter();
        slot.begin(began, 0);
        began += 1;
        slot
    });
    gate.observe();
    (gate, overdue)
}

/// A thread that carries out one request. Joining it gives how often it was parked.
fn newcomer(gate: &Arc<Gate>) -> thread::JoinHandle<u64> {
    let (gate, slot) = (Arc::clone(gate), gate.enter());
    thread::spawn(move || {
        let hold = gate.begin(&slot, 0, &POLICY);
        gate.finish(&slot, &POLICY);
        hold.parks
    })
}

/// Waits for all of them. After that nobody may be left in the lot.
fn joined<const THREADS: usize>(gate: &Gate, threads: [thread::JoinHandle<u64>; THREADS]) -> u64 {
    let parks = threads.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
    assert_eq!((gate.lot.parked(), gate.lot.front()), (0, None));
    parks.iter().sum()
}

#[test]
fn who_waits_for_the_oldest_goes_on_when_it_is_over() {
    model(|| {
        let (gate, [oldest]) = closed();
        let threads = [newcomer(&gate)];
        gate.finish(&oldest, &POLICY);
        joined(&gate, threads)
    });
}

/// One is called, and calls the other.
#[test]
fn a_wake_up_is_passed_on() {
    model(|| {
        let (gate, [oldest]) = closed();
        let threads = [newcomer(&gate), newcomer(&gate)];
        gate.finish(&oldest, &POLICY);
        joined(&gate, threads)
    });
}

/// The first that is over lets nobody go, because the second is still under way: then that one has to, though it may
/// end at the same moment.
#[test]
fn responsibility_passes_to_who_is_seen_under_way() {
    model(|| {
        let (gate, [oldest, second]) = closed();
        let threads = [newcomer(&gate), {
            let gate = Arc::clone(&gate);
            thread::spawn(move || {
                gate.finish(&second, &POLICY);
                0
            })
        }];
        gate.finish(&oldest, &POLICY);
        joined(&gate, threads)
    });
}

/// The deadline of a park may come at the moment of a call. Here it has come from the start, and the thread looks
/// again, as one does after each park.
#[test]
fn who_gives_up_is_not_called_in_place_of_another() {
    model(|| {
        let (gate, [oldest]) = closed();
        let threads = [newcomer(&gate), {
            let (gate, slot) = (Arc::clone(&gate), gate.enter());
            thread::spawn(move || {
                let now = now_ns();
                slot.begin(now, 0);
                gate.lot.park(&slot, now, 0, Duration::ZERO, || true);
                assert!(!slot.is_held());
                let hold = gate.hold(&slot, now, 0, &POLICY);
                gate.finish(&slot, &POLICY);
                hold.parks
            })
        }];
        gate.finish(&oldest, &POLICY);
        joined(&gate, threads)
    });
}

/// Else a call that comes late would let the next request of that session go, and leave its place in the queue behind.
#[test]
fn who_is_not_parked_any_more_is_neither_held_nor_queued() {
    model(|| {
        let (gate, _) = closed::<1>();
        let threads = [{
            let (gate, slot) = (Arc::clone(&gate), gate.enter());
            thread::spawn(move || {
                let now = now_ns();
                for _ in 0..2 {
                    gate.lot.park(&slot, now, 0, Duration::ZERO, || true);
                    assert!(!slot.is_held() && gate.lot.front().is_none());
                }
                2
            })
        }];
        if let Some(slot) = gate.lot.call() {
            slot.wake();
        }
        joined(&gate, threads)
    });
}

/// A session that ends takes its slot along, and the last to look has seen it.
#[test]
fn sessions_come_and_go_while_another_is_parked() {
    model(|| {
        let (gate, [oldest]) = closed();
        let threads = [newcomer(&gate), {
            let gate = Arc::clone(&gate);
            thread::spawn(move || {
                let slot = gate.enter();
                gate.leave(&slot);
                0
            })
        }];
        gate.finish(&oldest, &POLICY);
        gate.leave(&oldest);
        joined(&gate, threads)
    });
}

/// Sessions notice a new policy one by one: requests end under another one than those are parked under.
#[test]
fn a_policy_that_never_parks_lets_all_go() {
    model(|| {
        let (gate, [oldest]) = closed();
        let threads = [newcomer(&gate), newcomer(&gate)];
        gate.finish(&oldest, &Policy::None);
        joined(&gate, threads)
    });
}

/// The one that a newcomer is to wait for may be about to be parked itself: it looked before.
#[test]
fn nobody_waits_for_one_that_is_parked() {
    model(|| {
        let (gate, [oldest, late]) = closed();
        let began = late.began().unwrap();
        let threads = [newcomer(&gate), {
            let (gate, oldest) = (Arc::clone(&gate), Arc::clone(&oldest));
            let (reason, under_way) = (oldest.began(), move || oldest.began());
            thread::spawn(move || {
                gate.lot
                    .park(&late, began, 0, Duration::from_nanos(1), || under_way() == reason);
                gate.finish(&late, &POLICY);
                0
            })
        }];
        gate.finish(&oldest, &POLICY);
        joined(&gate, threads)
    });
}
