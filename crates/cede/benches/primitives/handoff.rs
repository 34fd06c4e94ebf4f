//! From the end of a request to the moment when the thread that was held back for it goes on; and the same with a
//! condition variable.

use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cede::{Class, Domain, Policy};
use criterion::{Criterion, SamplingMode};

use crate::Lent;
use crate::adaptive::Turn;

/// What requests usually take, and one that others are held back for: over 2.5 times the mean and any kernel's default
/// slice, and not so long that it is given up on.
const USUAL: Duration = Duration::from_micros(400);
const LONG: Duration = Duration::from_millis(4);
/// So many usual ones keep the mean where it is.
const USUAL_ONES: u32 = 8;
const TO_LEARN: u32 = 100;
/// By then the other thread has fallen asleep, and not looked by itself yet, which it does each millisecond.
const ASLEEP: Duration = Duration::from_micros(300);

pub(crate) fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("handoff");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(20)
        .measurement_time(Duration::from_secs(4))
        .warm_up_time(Duration::from_secs(1));
    let domain = Domain::new(Policy::Patience);
    let mut session = Lent::new(&domain);
    usual_requests(&mut session, TO_LEARN);
    group.bench_function("park_and_wake", |bencher| {
        bencher.iter_custom(|repeats| sum_of(repeats, || park_and_wake(&domain, &mut session)));
    });
    group.bench_function("condvar", |bencher| {
        bencher.iter_custom(|repeats| sum_of(repeats, condvar));
    });
    group.finish();
}

/// What `repeats` hand-offs take. One in which nobody slept, since the machine was slow, is made again.
fn sum_of(repeats: u64, mut once: impl FnMut() -> Option<Duration>) -> Duration {
    let mut total = Duration::ZERO;
    let mut done = 0;
    while done < repeats {
        if let Some(time) = once() {
            total += time;
            done += 1;
        }
    }
    total
}

fn usual_requests(session: &mut Lent, many: u32) {
    session.time(u64::from(many), |session| {
        let request = session.begin(Class::Unknown);
        thread::sleep(USUAL);
        request.finish()
    });
}

fn park_and_wake(domain: &Domain, session: &mut Lent) -> Option<Duration> {
    usual_requests(session, USUAL_ONES);
    let holder = session.0.take()?.begin(Class::Unknown);
    thread::sleep(LONG);
    let (back, parks, let_go) = beside(
        |comes| {
            let session = domain.session();
            comes();
            let request = session.begin(Class::Unknown);
            let back = Instant::now();
            (back, request.finish().counters().parks)
        },
        || session.0 = Some(holder.finish()),
    );
    (parks > 0).then(|| back.checked_duration_since(let_go))?
}

fn condvar() -> Option<Duration> {
    let turn = Turn::default();
    let (back, (), let_go) = beside(
        |comes| {
            comes();
            turn.block(|number| number == 1);
            (Instant::now(), ())
        },
        || turn.set(1),
    );
    back.checked_duration_since(let_go)
}

/// Has another thread wait, and lets it go. `waits` calls what it is given right before it waits, and gives when it was
/// back. Gives that, what else `waits` gives, and when it was let go.
fn beside<T: Send>(
    waits: impl FnOnce(&dyn Fn()) -> (Instant, T) + Send,
    let_go: impl FnOnce(),
) -> (Instant, T, Instant) {
    let comes = AtomicBool::new(false);
    thread::scope(|scope| {
        let comes = &comes;
        let other = scope.spawn(move || waits(&|| comes.store(true, Ordering::Release)));
        while !comes.load(Ordering::Acquire) {
            hint::spin_loop();
        }
        let seen = Instant::now();
        while seen.elapsed() < ASLEEP {
            hint::spin_loop();
        }
        let start = Instant::now();
        let_go();
        let (back, result) = other.join().unwrap();
        (back, result, start)
    })
}
