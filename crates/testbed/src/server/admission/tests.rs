use std::{thread, time::Duration};

use scenario::Decision;

use super::*;

fn admission(algorithm: Algorithm) -> Admission {
    Admission::start(algorithm, 2, Instant::now(), |line| panic!("{line}")).unwrap()
}

/// Waits, without an end of its own, until `happened`.
fn until(happened: impl Fn() -> bool) {
    while !happened() {
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn without_admission_control_nobody_needs_a_ticket() {
    let admission = admission(Algorithm::None);
    assert!(admission.admit(Intent::Read).is_none() && admission.admit(Intent::Write).is_none());
    assert_eq!(admission.pools().sizes(), PoolPair::both(0));
    assert_eq!(
        (admission.status(), admission.monitor()),
        (None, Monitor::default())
    );
}

#[test]
fn reads_and_writes_have_pools_of_their_own() {
    let admission = admission(Algorithm::Fixed(2));
    let tickets = [Intent::Read, Intent::Write, Intent::Write].map(|intent| admission.admit(intent).unwrap());
    assert_eq!(
        admission.pools().each(TicketPool::used),
        PoolPair { read: 1, write: 2 }
    );
    drop(tickets);
    assert_eq!(admission.pools().finished(), 3);
    let status = admission.status().unwrap();
    assert_eq!((status.read_tickets, status.write_tickets), (2, 2));
    assert!(status.write_held_nanos > 0 && status.ticks.is_empty());
}

#[test]
fn the_algorithm_can_change_while_operations_run() {
    let admission = admission(Algorithm::None);
    let before = admission.admit(Intent::Write);
    admission.set_algorithm(Algorithm::Fixed(3)).unwrap();
    let within = admission.admit(Intent::Write);
    assert!(before.is_none() && within.is_some());
    admission.set_algorithm(Algorithm::Probing).unwrap();
    assert_eq!(admission.algorithm(), Algorithm::Probing);
    assert_eq!(
        admission.pools().sizes(),
        PoolPair::both(4),
        "the least that it begins with"
    );
    admission.set_algorithm(Algorithm::None).unwrap();
    assert!(admission.admit(Intent::Write).is_none());
    drop(within);
    assert_eq!(admission.pools().write.available(), 4);
}

#[test]
fn the_controller_tries_more_tickets_when_a_pool_is_used_up() {
    let admission = admission(Algorithm::Probing);
    let held: Vec<_> = (0..4).map(|_| admission.admit(Intent::Write)).collect();
    let ticks = || admission.status().unwrap().ticks;
    // Ticks before all four are held have nothing to try.
    let tries = || {
        let tries = ticks().into_iter();
        tries
            .skip_while(|tick| tick.decision == Decision::Hold)
            .collect::<Vec<_>>()
    };
    until(|| tries().len() >= 2);
    let first = tries();
    let decisions: Vec<_> = first.iter().take(2).map(|tick| tick.decision).collect();
    // Nothing is given back meanwhile, so that more tickets bring nothing.
    assert_eq!(decisions, [Decision::ProbeUp, Decision::UndoUp]);
    assert_eq!((first[0].read_tickets, first[0].write_tickets), (5, 5));
    assert_eq!((first[1].read_tickets, first[1].write_tickets), (4, 4));
    assert!(first[0].time_s < first[1].time_s);
    let monitor = admission.monitor();
    assert!(monitor.times_up >= 1 && monitor.times_increased == 0 && monitor.times_down == 0);
    drop(held);
    until(|| ticks().last().is_some_and(|tick| tick.decision == Decision::Hold));
}
