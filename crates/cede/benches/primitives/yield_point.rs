//! A yield point at which there is nothing to do: nobody waits.

use std::hint::black_box;
use std::thread;

use cede::{Domain, Policy};
use criterion::Criterion;
use crossbeam_utils::Backoff;
use parking_lot_core::SpinWait;

use crate::learned;

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("yield_point");
    for policy in [Policy::Auto, Policy::None] {
        let (_domain, mut session) = learned(policy);
        group.bench_function(policy.to_string(), |bencher| {
            bencher.iter_custom(|repeats| {
                session.time(repeats, |mut session| {
                    black_box(session.yield_point());
                    session
                })
            });
        });
    }
    let mut native = Domain::new(Policy::Native).session();
    group.bench_function("native", |bencher| bencher.iter(|| native.yield_point()));
    group.bench_function("std_yield_now", |bencher| bencher.iter(yield_now));
    // A back-off's first steps spin, its last ones yield: what it does when the wait is long.
    let backoff = Backoff::new();
    while !backoff.is_completed() {
        backoff.snooze();
    }
    group.bench_function("snooze_first", |bencher| bencher.iter(|| Backoff::new().snooze()));
    group.bench_function("snooze_last", |bencher| bencher.iter(|| backoff.snooze()));
    group.bench_function("spin_wait_first", |bencher| {
        bencher.iter(|| SpinWait::new().spin());
    });
    group.bench_function("spin_wait_all", |bencher| {
        bencher.iter(|| {
            let mut wait = SpinWait::new();
            while wait.spin() {}
        });
    });
    group.finish();
}

#[allow(clippy::disallowed_methods, reason = "what the session is compared with")]
pub(crate) fn yield_now() {
    thread::yield_now();
}
