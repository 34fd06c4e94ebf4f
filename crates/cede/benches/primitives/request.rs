//! Beginning and finishing a request, alone and among many sessions.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cede::{Class, Domain, Policy, Request, Session};
use criterion::{BenchmarkId, Criterion, SamplingMode};

use crate::{Lent, learned};

const KIND: Class = Class::Kind(1);

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("begin_finish");
    // Samples of one length, some looks at all sessions long each: short ones could have none, and be the fastest for it.
    group.sampling_mode(SamplingMode::Flat);
    for policy in [Policy::Auto, Policy::None] {
        let (_domain, mut session) = learned(policy);
        group.bench_function(policy.to_string(), |bencher| {
            bencher.iter_custom(|repeats| begin_and_finish(&mut session, repeats));
        });
    }
    // What the parts of it are made of.
    group.bench_function("clock", |bencher| bencher.iter(std::time::Instant::now));
    group.bench_function("fence", |bencher| {
        bencher.iter(|| std::sync::atomic::fence(Ordering::SeqCst));
    });
    let word = AtomicU64::new(0);
    group.bench_function("swap", |bencher| bencher.iter(|| word.swap(1, Ordering::SeqCst)));
    group.finish();

    let mut group = criterion.benchmark_group("begin_finish_among");
    group
        .sampling_mode(SamplingMode::Flat)
        .measurement_time(Duration::from_secs(2));
    for sessions in [16, 1_000, 10_000] {
        let (domain, mut session) = learned(Policy::Auto);
        let others = Idle::new(&domain, sessions);
        group.bench_function(BenchmarkId::new("idle", sessions), |bencher| {
            bencher.iter_custom(|repeats| begin_and_finish(&mut session, repeats));
        });
        let others = Busy::new(others);
        group.bench_function(BenchmarkId::new("under_way", sessions), |bencher| {
            bencher.iter_custom(|repeats| begin_and_finish(&mut session, repeats));
        });
        drop(others);
    }
    group.finish();
}

fn begin_and_finish(session: &mut Lent, repeats: u64) -> Duration {
    session.time(repeats, |session| session.begin(KIND).finish())
}

/// Sessions without a request. They are one thread's, so the last one has to end first.
struct Idle(Vec<Session>);

impl Idle {
    fn new(domain: &Domain, sessions: usize) -> Self {
        Self((0..sessions).map(|_| domain.session()).collect())
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// Sessions in the midst of a request that takes very long.
struct Busy(Vec<Request>);

impl Busy {
    fn new(mut idle: Idle) -> Self {
        Self(idle.0.drain(..).map(|session| session.begin(KIND)).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}
