//! Two threads on one CPU for 20 ms at most: one yields, the other does not.

mod ledger;
mod runs;
mod tally;

use std::hint::black_box;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use self::ledger::Ledger;
use self::runs::Runs;
pub(crate) use self::tally::Tally;
use super::facts::SMALLEST_BASE_SLICE;
use super::measure::pick_cpu;
use crate::slice::{OwnSlice, SliceState};
use crate::sys;

/// The end of the measurement, whatever has come of it.
const LIMIT: Duration = Duration::from_millis(20);

/// The slice of both threads, where they may have one of their own: longer than the shortest that there is, so that
/// twice and half as long can be told, and short against ticks and default slices, so that it is soon over.
const SLICE: Duration = Duration::from_micros(200);

/// How long to sleep at a time while the busy thread comes up.
const COMING_UP: Duration = Duration::from_micros(50);

/// Yields that stay on the CPU between two readings of the ledger. A reading takes as long as some ten of them.
const YIELDS_PER_READING: u32 = 8;

/// What was seen.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The slice of a thread that asked for none, if the kernel tells.
    pub(crate) base_slice: Option<Duration>,
    /// The slice that both threads had, if the kernel let them have one.
    pub(crate) own_slice: Option<Duration>,
    pub(crate) tally: Tally,
    /// The two were seen on different CPUs, where a yield shows nothing.
    pub(crate) apart: bool,
    /// Whether yields forfeit, if that became clear.
    pub(crate) forfeits: Option<bool>,
    /// Whether slices end in time, if that became clear.
    pub(crate) exact_slices: Option<bool>,
    pub(crate) elapsed: Duration,
}

impl Seen {
    /// All of it in a sentence.
    pub(crate) fn sentence(&self) -> String {
        if self.apart {
            return "Nothing was measured: the threads cannot be bound to one CPU, and ran on two."
                .to_owned();
        }
        let tally = &self.tally;
        let charged = tally.charge.map_or_else(
            || "the kernel shows no account of a thread".to_owned(),
            |charge| {
                format!(
                    "the yielder was charged {:.0?} beyond the {:.0?} that it used",
                    charge.beyond, charge.used
                )
            },
        );
        format!(
            "Beside one busy thread, {} yields in {:.1?} let it run {} times, and {charged}; the two used {:.1?} and {:.1?}.",
            tally.yields, self.elapsed, tally.turns, tally.yielder_cpu, tally.busy_cpu,
        )
    }
}

/// Runs the measurement on threads of its own. `accounts` says whether to look at the kernel's account.
pub(crate) fn measure(accounts: bool) -> io::Result<Seen> {
    let yielder = thread::Builder::new()
        .name("cede-era-yield".to_owned())
        .spawn(move || watch(accounts))?;
    yielder
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("a thread of the probe panicked")))
}

/// How the measuring thread stands. The busy one is its child and inherits all of it.
struct Setup {
    /// Whether it can run on one CPU only.
    bound: bool,
    base_slice: Option<Duration>,
    /// Given back when dropped.
    slice: OwnSlice,
}

impl Setup {
    fn new() -> io::Result<Self> {
        let inherited = sys::sched_attr()?;
        let ordinary = sys::set_sched_attr(&inherited.ordinary());
        // A fair thread may go on with what it has, see there.
        if let (Err(error), false) = (&ordinary, inherited.is_fair()) {
            return Err(io::Error::new(error.kind(), error.to_string()));
        }
        let told = sys::sched_attr().map_or(0, |attr| attr.sched_runtime);
        Ok(Self {
            bound: pick_cpu().and_then(sys::pin_to).is_ok(),
            base_slice: (ordinary.is_ok() && told > 0).then(|| Duration::from_nanos(told)),
            slice: OwnSlice::set(SLICE),
        })
    }

    fn own_slice(&self) -> Option<Duration> {
        match self.slice.state() {
            SliceState::Applied(slice) => Some(slice),
            _ => None,
        }
    }
}

/// The busy thread, as the yielder sees it.
#[derive(Debug, Default)]
struct Busy {
    cpu_time_ns: AtomicU64,
    cpu: AtomicUsize,
    ended: AtomicBool,
    stop: AtomicBool,
}

impl Busy {
    /// Uses up CPU until told to stop, or for as long as the measurement may take.
    fn run(&self) {
        /// Some microseconds: far below a slice, and few system calls.
        const SPINS: u32 = 1000;
        let start = Instant::now();
        self.publish();
        // That it has been here is news for the other, who would wait for a whole turn of this thread's to hear it:
        // 12 ms under CFS on 8 CPUs.
        sys::yield_cpu();
        while !self.stop.load(Relaxed) && start.elapsed() < LIMIT {
            self.publish();
            // Not spin_loop(): its PAUSE makes some hypervisors deschedule the virtual CPU.
            for spin in 0..SPINS {
                black_box(spin);
            }
        }
        self.ended.store(true, Relaxed);
    }

    fn publish(&self) {
        let used = sys::thread_cpu_time().map_or(0, |used| used.as_nanos());
        self.cpu.store(sys::current_cpu().unwrap_or(usize::MAX), Relaxed);
        self.cpu_time_ns
            .store(u64::try_from(used).unwrap_or(u64::MAX), Relaxed);
    }

    /// Zero until it has run.
    fn cpu_time(&self) -> Duration {
        Duration::from_nanos(self.cpu_time_ns.load(Relaxed))
    }

    /// Whether it runs, or has run last, on another CPU than the caller.
    fn is_elsewhere(&self) -> bool {
        !self.cpu_time().is_zero() && sys::current_cpu() != Some(self.cpu.load(Relaxed))
    }
}

/// The measuring thread.
fn watch(accounts: bool) -> io::Result<Seen> {
    let setup = Setup::new()?;
    let ledger = accounts.then(Ledger::open).flatten();
    let busy = Busy::default();
    // Not earlier: on a CPU with other work, much time may go by until this thread has had enough of it for that.
    let start = Instant::now();
    let switches = sys::context_switches();
    thread::scope(|scope| {
        thread::Builder::new()
            .name("cede-era-busy".to_owned())
            .spawn_scoped(scope, || busy.run())?;
        // Bound to the same CPU, the busy thread waits for it from its creation on. Until this thread is switched out for
        // the first time it still does; after that it has to be seen running, since a new thread may block.
        let waits = || {
            !busy.cpu_time().is_zero()
                || setup.bound && switches.is_some() && sys::context_switches() == switches
        };
        let mut seen = yield_beside(&busy, waits, &setup, ledger, start)?;
        if setup.bound
            && let Some(slice) = setup.own_slice()
        {
            seen.exact_slices = run_beside(&busy, slice, start);
        }
        busy.stop.store(true, Relaxed);
        seen.elapsed = start.elapsed();
        Ok(seen)
    })
}

/// Yields until it is clear what that does, or the time is up.
fn yield_beside(
    busy: &Busy,
    waits: impl Fn() -> bool,
    setup: &Setup,
    mut ledger: Option<Ledger>,
    start: Instant,
) -> io::Result<Seen> {
    let slice = setup
        .own_slice()
        .or(setup.base_slice)
        .unwrap_or(SMALLEST_BASE_SLICE);
    let mut seen = Seen {
        base_slice: setup.base_slice,
        own_slice: setup.own_slice(),
        tally: Tally::default(),
        apart: false,
        forfeits: None,
        exact_slices: None,
        elapsed: Duration::ZERO,
    };
    let tally = &mut seen.tally;
    let cpu_before = sys::thread_cpu_time()?;
    let mut unread = 0;
    while seen.forfeits.is_none() && start.elapsed() < LIMIT && !busy.ended.load(Relaxed) {
        if !waits() {
            // Not by yielding: next to threads that only seem to be there (asleep, and not yet off the queue) a yield
            // returns at once and charges a slice, time and again, and thousands of those are a debt of seconds.
            thread::sleep(COMING_UP);
            continue;
        }
        let (asked, before) = (Instant::now(), busy.cpu_time());
        sys::yield_cpu();
        let (took, after) = (asked.elapsed(), busy.cpu_time());
        tally.count(before, after, slice);
        tally.yielder_cpu = sys::thread_cpu_time()?.saturating_sub(cpu_before);
        // One CPU has no more CPU time to give than time passes.
        let both = tally.yielder_cpu + tally.busy_cpu;
        if !setup.bound && (busy.is_elsewhere() || both > start.elapsed()) {
            seen.apart = true;
            break;
        }
        unread += 1;
        if took >= slice / 2 || unread == YIELDS_PER_READING {
            unread = 0;
            tally.charge = ledger.as_mut().and_then(Ledger::charged).or(tally.charge);
        }
        seen.forfeits = tally.verdict(slice);
    }
    Ok(seen)
}

/// Runs without yielding until it is clear when slices end, or the time is up.
fn run_beside(busy: &Busy, slice: Duration, start: Instant) -> Option<bool> {
    // Sets out with a slice of the new length on the kernels that can be exact: there a yield begins one.
    sys::yield_cpu();
    let mut runs = Runs::new(slice, start.elapsed(), busy.cpu_time());
    loop {
        let (now, other) = look(busy, start);
        if let Some(exact) = runs.look(now, other) {
            return Some(exact);
        }
        if now >= LIMIT || busy.ended.load(Relaxed) {
            return None;
        }
    }
}

/// The time, and the busy thread's CPU time at that time: no turn of its may be in the one and not in the other.
fn look(busy: &Busy, start: Instant) -> (Duration, Duration) {
    let mut before = busy.cpu_time();
    loop {
        let now = start.elapsed();
        let after = busy.cpu_time();
        if before == after {
            return (now, after);
        }
        before = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn both_threads_are_seen_on_one_cpu() {
        for accounts in [true, false] {
            let seen = measure(accounts).unwrap();
            assert!(seen.tally.yields > 0, "{seen:?}");
            assert!(!seen.apart, "{seen:?}");
            assert!(accounts || seen.tally.charge.is_none(), "{seen:?}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_busy_thread_elsewhere_is_noticed() {
        let busy = Busy::default();
        assert!(!busy.is_elsewhere(), "it has not run yet");
        busy.cpu_time_ns.store(1, Relaxed);
        busy.cpu.store(usize::MAX, Relaxed);
        assert!(busy.is_elsewhere());
    }
}
