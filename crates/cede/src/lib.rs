//! A cheaper cooperative yield for oversubscribed, thread-per-connection servers.
//!
//! A server with more busy connection threads than CPUs gains from giving its CPU away between two requests:
//! every connection gets its turn soon, and the tail of the latency shrinks. `sched_yield(2)` used to be the
//! cheap way to do it. On Linux 6.12.63, 6.18.2, 6.19 and later it is not: the yielder forfeits the rest of
//! its slice, and beside one thread that does not yield it waits for about a whole slice (0.7 to 2.8 ms).
//! [`era`] tells what this kernel does.
//!
//! `cede` puts a policy between the server and the scheduler. Under the default one, [`Policy::Auto`], a thread gives
//! way by not beginning its next request while another has waited for too long:
//!
//! ```
//! use cede::{Class, Domain};
//!
//! const ECHO: Class = Class::Kind(0);
//!
//! // One domain per server ...
//! let domain = Domain::default();
//!
//! std::thread::scope(|scope| {
//!     for _connection in 0..4 {
//!         scope.spawn(|| {
//!             // ... one session per connection thread ...
//!             let mut session = domain.session();
//!             for _request in 0..10 {
//!                 // receive; then, holding nothing:
//!                 let request = session.begin(ECHO);
//!                 // ... carry it out, reply ...
//!                 session = request.finish();
//!                 session.yield_point();
//!             }
//!         });
//!     }
//! });
//!
//! // ... and the counts at any time, from any thread.
//! let seen = domain.snapshot();
//! assert_eq!((seen.requests, seen.calls), (40, 40));
//! println!("parked {} times, {:?}", seen.parks, seen.parked);
//! ```
//!
//! Where only the yields can be replaced, [`yield_now`] does that.
//!
//! # Platforms
//! Made for Linux. Elsewhere the crate compiles, yields and sleeps through the standard library, never
//! reports a yield as switched and leaves slices alone.

mod bucket;
mod class;
#[cfg(all(test, target_os = "linux"))]
mod cost;
mod counters;
mod cpus;
mod decision;
mod domain;
pub mod era;
mod executor;
mod gate;
mod histogram;
mod member;
mod nanos;
mod observation;
mod policy;
mod registry;
mod request;
mod sampler;
mod session;
mod slice;
mod snapshot;
mod spin;
mod sync;
#[cfg_attr(
    loom,
    allow(dead_code, unused_imports, reason = "models park threads without the kernel")
)]
mod sys;
mod thread_setup;
mod timer_slack;
mod yield_now;

pub use self::class::Class;
pub use self::decision::{Decision, Pause};
pub use self::domain::Domain;
pub use self::histogram::{Bucket, Histogram};
pub use self::observation::{Observation, Oldest};
pub use self::policy::Policy;
pub use self::request::Request;
pub use self::session::Session;
pub use self::slice::SliceState;
pub use self::snapshot::Snapshot;
pub use self::yield_now::yield_now;

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
