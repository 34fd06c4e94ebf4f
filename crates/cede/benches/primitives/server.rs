//! Far more threads than CPUs, each in a loop: a request that takes about 10 us of CPU, then a yield point. What is
//! reported is time per request, over all CPUs.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cede::{Class, Domain, Policy, Session};
use criterion::{Criterion, SamplingMode};
use crossbeam_utils::Backoff;
use parking_lot_core::SpinWait;

use crate::ring::scaled;
use crate::yield_point::yield_now;

const THREADS: usize = 128;
const REQUEST: Duration = Duration::from_micros(10);
/// So many at least in one go, some 0.2 s: with few, it is the start and the end of the threads that is measured.
const LEAST: u64 = 40_000;
const KIND: Class = Class::Kind(1);

pub(crate) fn benches(criterion: &mut Criterion) {
    let steps = steps_of(REQUEST);
    let mut group = criterion.benchmark_group("server_128");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .measurement_time(Duration::from_secs(4))
        .warm_up_time(Duration::from_secs(1));
    for policy in [Policy::None, Policy::Auto, Policy::Native] {
        let domain = Domain::new(policy);
        group.bench_function(policy.to_string(), |bencher| {
            bencher.iter_custom(|requests| serve_with_sessions(&domain, requests, steps));
        });
    }
    group.bench_function("no_yield", |bencher| {
        bencher.iter_custom(|requests| serve(requests, || (), |()| work(steps)));
    });
    group.bench_function("std_yield_now", |bencher| {
        bencher.iter_custom(|requests| {
            serve(
                requests,
                || (),
                |()| {
                    work(steps);
                    yield_now();
                },
            )
        });
    });
    group.bench_function("snooze", |bencher| {
        bencher.iter_custom(|requests| {
            serve(requests, Backoff::new, |backoff| {
                work(steps);
                backoff.snooze();
            })
        });
    });
    group.bench_function("spin_wait", |bencher| {
        bencher.iter_custom(|requests| {
            serve(requests, SpinWait::new, |wait| {
                work(steps);
                if !wait.spin() {
                    wait.reset();
                }
            })
        });
    });
    group.finish();
}

fn serve_with_sessions(domain: &Domain, requests: u64, steps: u64) -> Duration {
    serve(
        requests,
        || Some(domain.session()),
        |lent: &mut Option<Session>| {
            let request = lent.take().unwrap().begin(KIND);
            work(steps);
            let mut session = request.finish();
            session.yield_point();
            *lent = Some(session);
        },
    )
}

/// What `requests` requests take, served by all threads together: whoever is free takes the next. `make` gives each
/// thread what it keeps.
fn serve<T>(requests: u64, make: impl Fn() -> T + Sync, request: impl Fn(&mut T) + Sync) -> Duration {
    let left = AtomicI64::new(i64::try_from(requests.max(LEAST)).unwrap());
    let begin = Barrier::new(THREADS);
    let (time, served) = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    let mut own = make();
                    begin.wait();
                    let start = Instant::now();
                    let mut served = 0_u64;
                    while left.fetch_sub(1, Ordering::Relaxed) > 0 {
                        request(&mut own);
                        served += 1;
                    }
                    (served, start, Instant::now())
                })
            })
            .collect();
        // From the first thread that begins to the last that ends: this one may get a CPU only when all is over.
        let ends: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        let served: u64 = ends.iter().map(|(served, ..)| served).sum();
        let first = ends.iter().map(|(_, start, _)| *start).min().unwrap();
        let last = ends.iter().map(|(.., end)| *end).max().unwrap();
        (last - first, served)
    });
    scaled(time, requests, served)
}

fn work(steps: u64) {
    let mut value = 1_u64;
    for step in 0..steps {
        value = black_box(value.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step);
    }
}

/// Steps of [`work`] that take `time`: of several tries the fastest, since a slow one was disturbed.
fn steps_of(time: Duration) -> u64 {
    const TRIED: u64 = 100_000;

    let fastest = (0..20)
        .map(|_| {
            let start = Instant::now();
            work(TRIED);
            start.elapsed()
        })
        .min()
        .unwrap();
    let steps = TRIED as f64 * time.as_secs_f64() / fastest.as_secs_f64();
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some thousands"
    )]
    let steps = steps as u64;
    steps
}
