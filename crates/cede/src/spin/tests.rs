use super::*;

const YIELD_NS: u64 = 500;

/// A loop of yield points at which time passes as told, without a kernel. Gives when it ended.
fn spin(spin: &mut Spin, from: u64, calls: u32) -> u64 {
    let mut now = from;
    for _ in 0..calls {
        now += 100;
        spin.arrive(now);
        now += YIELD_NS;
        spin.leave(now);
    }
    now
}

fn yielded(inside_ns: u64, switched: bool) -> Pause {
    Pause {
        decision: Decision::Yield,
        inside: Duration::from_nanos(inside_ns),
        switched,
    }
}

#[test]
fn work_in_between_is_no_loop() {
    let mut spin = Spin::default();
    assert_eq!(spin.arrive(1_000), None);
    for request in 1..100_u64 {
        spin.leave(request * 100_000);
        // After send, and right after it before receive.
        assert_eq!(spin.arrive(request * 100_000 + 60_000), Some(60_000));
        assert!(!spin.is_idle());
        spin.leave(request * 100_000 + 61_000);
        spin.arrive(request * 100_000 + 62_000);
        assert!(spin.is_idle() && !spin.is_loop());
    }
}

#[test]
fn a_loop_is_known_after_a_few_calls() {
    let mut waiting = Spin::default();
    spin(&mut waiting, 1_000_000, LOOP);
    assert!(!waiting.is_loop());
    let now = waiting.back_ns;
    spin(&mut waiting, now, 1);
    assert!(waiting.is_loop());
}

#[test]
fn a_loop_whose_yields_are_used_goes_on_yielding() {
    let (mut waiting, ring) = (Spin::default(), Ring::default());
    let now = spin(&mut waiting, 1_000_000, 10);
    for _ in 0..10 * UNUSED {
        waiting.yielded(&yielded(YIELD_NS, true), now, &ring);
        assert_eq!(waiting.decide(now, &ring), Wait::Yield);
    }
}

#[test]
fn yields_that_nobody_uses_end_in_a_nap() {
    let (mut waiting, ring) = (Spin::default(), Ring::default());
    let now = spin(&mut waiting, 1_000_000, 10);
    for _ in 0..UNUSED / MEASURED {
        assert_eq!(waiting.decide(now, &ring), Wait::Yield);
        waiting.yielded(&yielded(YIELD_NS, false), now, &ring);
    }
    assert_eq!(waiting.decide(now, &ring), Wait::Nap(1));
}

/// Prices are those of a CPU.
fn stay_on_one_cpu() {
    #[cfg(target_os = "linux")]
    assert!(sys::allowed_cpus().is_ok_and(|cpus| cpus.first().is_some_and(|&cpu| sys::pin_to(cpu).is_ok())));
}

#[test]
fn dear_yields_end_in_waits_that_grow_and_are_bounded() {
    stay_on_one_cpu();
    let (mut waiting, ring) = (Spin::default(), Ring::default());
    let mut now = spin(&mut waiting, 1_000_000, 10);
    // A slice each: sooner or later nothing is left to pay that with.
    for _ in 0..1000 {
        now += 3_000_000;
        waiting.yielded(&yielded(3_000_000, true), now, &ring);
    }
    for after_ns in [0, 1_000, 1_000_000, 100_000_000] {
        let Wait::HandOn(ns) = waiting.decide(waiting.alone_since_ns + after_ns, &ring) else {
            panic!("after {after_ns} ns");
        };
        assert!(
            ns >= 1 && ns <= (after_ns / NAP_PART).clamp(1, LONGEST_NAP_NS),
            "{ns}"
        );
    }
    waiting.handed_on(true, now);
    assert_eq!(waiting.decide(now, &ring), Wait::HandOn(TRUSTED_NS));
    // Prices may fall again.
    assert_eq!(waiting.decide(now + LONGEST_NAP_NS * 1_000, &ring), Wait::Yield);
}

#[test]
fn a_thread_with_a_real_time_priority_naps_before_long() {
    let (mut waiting, ring) = (Spin::default(), Ring::default());
    let now = spin(&mut waiting, 1_000_000, 10);
    waiting.real_time = true;
    assert_eq!(waiting.decide(waiting.nap_ns, &ring), Wait::Yield);
    assert_eq!(
        waiting.decide(now + REAL_TIME_NS, &ring),
        Wait::Nap(REAL_TIME_NAP_NS)
    );
}

#[cfg(target_os = "linux")]
mod progress {
    //! A thread that waits in a loop for another on the same CPU, whatever their priorities: it gets on.
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking, also in its helpers"
    )]

    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::thread;

    use crate::sys::{self, SchedAttr};

    const BATCH: u32 = 3;
    const IDLE: u32 = 5;
    const FIFO: u32 = 1;

    fn with(policy: u32, nice: i32) -> SchedAttr {
        SchedAttr {
            sched_policy: policy,
            sched_nice: nice,
            sched_priority: u32::from(policy == FIFO),
            ..sys::sched_attr().unwrap().ordinary()
        }
    }

    /// Each waits for the other so many times. False if the system does not allow these priorities.
    fn meet(one: SchedAttr, other: SchedAttr) -> bool {
        const ROUNDS: u32 = 50;

        let cpu = sys::allowed_cpus().unwrap()[0];
        let turn = AtomicBool::new(false);
        let refused = AtomicBool::new(false);
        let take_part = |attr: SchedAttr, me: bool| {
            sys::pin_to(cpu).unwrap();
            if sys::set_sched_attr(&attr).is_err() {
                refused.store(true, Relaxed);
            }
            for _ in 0..ROUNDS {
                while turn.load(Relaxed) != me {
                    crate::yield_now();
                }
                turn.store(!me, Relaxed);
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| take_part(one, false));
            scope.spawn(|| take_part(other, true));
        });
        !refused.load(Relaxed)
    }

    #[test]
    fn fair_threads_of_every_kind_get_on() {
        for other in [with(BATCH, 0), with(0, 19), with(IDLE, 0)] {
            assert!(meet(with(0, 0), other), "{other:?}");
        }
    }

    /// Where `sched_yield` would wait for ever.
    #[test]
    fn a_real_time_thread_lets_others_get_on() {
        #[allow(clippy::print_stderr, reason = "the line that a skipped test owes")]
        if !meet(with(FIFO, 0), with(0, 0)) {
            eprintln!("skipped: needs the right to set real-time priorities");
        }
    }
}
