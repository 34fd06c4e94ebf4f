use std::sync::atomic::AtomicBool;

use super::*;

fn far() -> Instant {
    Instant::now() + Duration::from_secs(600)
}

/// Waits, without an end of its own, until `happened`.
fn until(happened: impl Fn() -> bool) {
    while !happened() {
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn queued(pool: &TicketPool) -> u64 {
    let counts = pool.counts();
    counts.queued - counts.admitted
}

#[test]
fn a_ticket_is_free_again_when_it_is_dropped() {
    let pool = TicketPool::new(2);
    let (first, second) = (pool.acquire(), pool.acquire());
    assert_eq!((pool.used(), pool.available(), pool.total()), (2, 0, 2));
    drop(first);
    assert_eq!((pool.used(), pool.available(), pool.total()), (1, 1, 2));
    drop(second);
    assert_eq!((pool.used(), pool.available(), pool.total()), (0, 2, 2));
    let counts = pool.counts();
    assert_eq!((counts.started, counts.finished, counts.queued), (2, 2, 0));
}

#[test]
fn the_peak_is_that_since_the_last_look() {
    let pool = TicketPool::new(4);
    let kept = pool.acquire();
    drop((pool.acquire(), pool.acquire()));
    assert_eq!((pool.peak(), pool.take_peak()), (3, 3));
    assert_eq!(pool.take_peak(), 1, "what is in use now");
    drop(kept);
    assert_eq!((pool.take_peak(), pool.take_peak()), (1, 0));
}

#[test]
fn never_more_threads_than_tickets_are_inside() {
    const THREADS: usize = 8;
    const ROUNDS: u64 = 500;
    let pool = TicketPool::new(3);
    let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let _ticket = pool.acquire();
                    let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    cede::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });
    let counts = pool.counts();
    assert!(most.into_inner() <= 3 && pool.peak() <= 3);
    assert_eq!(counts.finished, THREADS as u64 * ROUNDS);
    assert_eq!(
        (counts.started, counts.admitted),
        (counts.finished, counts.queued)
    );
    assert_eq!((pool.used(), pool.available()), (0, 3));
}

#[test]
fn one_that_is_given_back_wakes_one_that_waits() {
    let pool = TicketPool::new(1);
    let held = pool.acquire();
    let served = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                drop(pool.acquire());
                served.fetch_add(1, Ordering::SeqCst);
            });
        }
        until(|| queued(&pool) == 3);
        assert_eq!(served.load(Ordering::SeqCst), 0);
        drop(held);
    });
    let counts = pool.counts();
    assert_eq!((served.into_inner(), counts.queued, counts.admitted), (3, 3, 3));
}

#[test]
fn a_newcomer_need_not_queue_behind_those_that_wait() {
    let pool = TicketPool::new(1);
    let held = pool.acquire();
    std::thread::scope(|scope| {
        scope.spawn(|| drop(pool.acquire()));
        until(|| queued(&pool) == 1);
        // The waiter may be quicker; if it is not, the newcomer gets the ticket although somebody waits.
        drop(held);
        drop(pool.acquire());
    });
    assert_eq!(pool.counts().finished, 3);
}

#[test]
fn growing_lets_those_in_that_wait() {
    let pool = TicketPool::new(1);
    let held = pool.acquire();
    std::thread::scope(|scope| {
        let waiters: Vec<_> = (0..2).map(|_| scope.spawn(|| drop(pool.acquire()))).collect();
        until(|| queued(&pool) == 2);
        pool.resize(3, far()).unwrap();
        for waiter in waiters {
            waiter.join().unwrap();
        }
    });
    drop(held);
    assert_eq!((pool.total(), pool.available()), (3, 3));
}

#[test]
fn shrinking_waits_for_tickets_in_use() {
    let pool = TicketPool::new(4);
    let held = [pool.acquire(), pool.acquire(), pool.acquire()];
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pool.resize(2, far()).unwrap();
            done.store(true, Ordering::SeqCst);
        });
        // The free one goes at once.
        until(|| pool.total() == 3);
        assert!(!done.load(Ordering::SeqCst));
        assert_eq!((pool.used(), pool.available()), (3, 0));
        drop(held);
    });
    assert_eq!((pool.total(), pool.available(), pool.used()), (2, 2, 0));
}

#[test]
fn shrinking_gives_up_at_its_deadline() {
    let pool = TicketPool::new(3);
    let held = [pool.acquire(), pool.acquire()];
    assert_eq!(pool.resize(1, Instant::now()), Err(TimedOut));
    assert_eq!((pool.total(), pool.available()), (2, 0), "as far as it got");
    drop(held);
    assert_eq!(pool.resize(1, far()), Ok(()));
    assert_eq!((pool.total(), pool.available()), (1, 1));
}
