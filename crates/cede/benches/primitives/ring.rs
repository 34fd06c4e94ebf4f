//! A turn that goes round: each thread waits for its own in the way that is measured. With more threads than CPUs,
//! whoever is next may not be running.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode};
use crossbeam_utils::Backoff;
use parking_lot_core::SpinWait;

use crate::adaptive::{Credit, Turn};
use crate::yield_point::yield_now;

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ring");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .measurement_time(Duration::from_secs(3))
        .warm_up_time(Duration::from_secs(1));
    for threads in [2, 16] {
        let mut bench = |name: &str, wait: &(dyn Fn(&dyn Fn() -> bool) + Sync)| {
            group.bench_function(BenchmarkId::new(name, threads), |bencher| {
                bencher.iter_custom(|passes| round(threads, passes, wait));
            });
        };
        bench("cede_yield_now", &|done| {
            while !done() {
                cede::yield_now();
            }
        });
        bench("std_yield_now", &|done| {
            while !done() {
                yield_now();
            }
        });
        bench("snooze", &|done| {
            let backoff = Backoff::new();
            while !done() {
                backoff.snooze();
            }
        });
        bench("spin_wait", &|done| {
            let mut wait = SpinWait::new();
            while !done() {
                if !wait.spin() {
                    wait.reset();
                }
            }
        });
        group.bench_function(BenchmarkId::new("adaptive", threads), |bencher| {
            bencher.iter_custom(|passes| adaptive_round(threads, passes));
        });
    }
    group.finish();
}

/// So many passes at least in one go: with few, it is the start and the end of the threads that is measured.
const LEAST: u64 = 10_000;

/// How long `passes` passes take. `wait` returns when what it is given is true.
fn round(threads: u32, passes: u64, wait: &(dyn Fn(&dyn Fn() -> bool) + Sync)) -> Duration {
    let turn = AtomicU32::new(0);
    let laps = passes.max(LEAST).div_ceil(u64::from(threads));
    let time = in_threads(threads, |me| {
        for _ in 0..laps {
            wait(&|| turn.load(Ordering::Acquire) == me);
            turn.store((me + 1) % threads, Ordering::Release);
        }
    });
    scaled(time, passes, laps * u64::from(threads))
}

/// The same with a place of its own for each thread to wait at, since the model blocks.
fn adaptive_round(threads: u32, passes: u64) -> Duration {
    const MINE: u32 = 1;

    let credit = Credit::default();
    let turns: Vec<Turn> = (0..threads).map(|_| Turn::default()).collect();
    let turn_of = |who: u32| turns.iter().cycle().nth(who as usize).unwrap();
    turn_of(0).set(MINE);
    let laps = passes.max(LEAST).div_ceil(u64::from(threads));
    let time = in_threads(threads, |me| {
        for _ in 0..laps {
            turn_of(me).wait(&credit, |number| number == MINE);
            turn_of(me).set(0);
            turn_of(me + 1).set(MINE);
        }
    });
    scaled(time, passes, laps * u64::from(threads))
}

/// Runs `body` once per thread, with the thread's number. Starting them is in the time: it is little against a sample.
fn in_threads(threads: u32, body: impl Fn(u32) + Sync) -> Duration {
    let start = Instant::now();
    thread::scope(|scope| {
        for me in 0..threads {
            let body = &body;
            scope.spawn(move || body(me));
        }
    });
    start.elapsed()
}

/// What `wanted` passes take if `done` took `time`.
pub(crate) fn scaled(time: Duration, wanted: u64, done: u64) -> Duration {
    time.mul_f64(wanted as f64 / done.max(1) as f64)
}
