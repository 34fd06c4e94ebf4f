//! What the primitive costs, beside what else a thread may call there: `cargo bench -p cede --bench primitives`.
//!
//! Only ratios within one run say something: machines differ, and change their speed from one run to the next.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and has nobody to report an error to"
)]

mod adaptive;
mod handoff;
mod request;
mod ring;
mod server;
mod summary;
mod yield_point;

use std::time::{Duration, Instant, SystemTime};

use cede::{Domain, Policy, Session};
use criterion::Criterion;

fn main() {
    let start = SystemTime::now();
    // The first session starts a look at the kernel that takes 20 ms of a CPU; it is not to fall into a measurement.
    let _kernel = cede::era::current();
    let mut criterion = Criterion::default().configure_from_args();
    yield_point::benches(&mut criterion);
    request::benches(&mut criterion);
    handoff::benches(&mut criterion);
    ring::benches(&mut criterion);
    server::benches(&mut criterion);
    criterion.final_summary();
    summary::print(start);
}

/// A session for a loop that owns it for a while: beginning a request takes it.
struct Lent(Option<Session>);

impl Lent {
    fn new(domain: &Domain) -> Self {
        Self(Some(domain.session()))
    }

    /// How long `repeats` calls of `body` take together.
    fn time(&mut self, repeats: u64, body: impl Fn(Session) -> Session) -> Duration {
        let mut session = self.0.take().unwrap();
        let start = Instant::now();
        for _ in 0..repeats {
            session = body(session);
        }
        let time = start.elapsed();
        self.0 = Some(session);
        time
    }
}

/// A domain under `policy` that knows how long its requests take.
fn learned(policy: Policy) -> (Domain, Lent) {
    const REQUESTS: u64 = 100_000;

    let domain = Domain::new(policy);
    let mut session = Lent::new(&domain);
    session.time(REQUESTS, |session| session.begin(cede::Class::Unknown).finish());
    (domain, session)
}
