//! What a yield costs beside one busy thread on the same CPU.

use std::hint::black_box;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::sys;

/// How long to yield: some 50 slices, enough for a mean that is steady within a few percent.
const WINDOW: Duration = Duration::from_millis(200);
/// How long to wait for the busy thread to come up.
const PATIENCE: Duration = Duration::from_millis(100);
/// When the busy thread ends by itself: past the window, the wait for it and one long last yield.
const BUSY_LIMIT: Duration = Duration::from_millis(500);

/// One round of measuring.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) cpu: usize,
    pub(crate) yields: u64,
    /// Wall-clock time inside all yields.
    pub(crate) inside: Duration,
    /// CPU time of the two threads over the window.
    pub(crate) yielder_cpu: Duration,
    pub(crate) busy_cpu: Duration,
}

impl Sample {
    /// What a yield took on average.
    pub(crate) fn mean(&self) -> Duration {
        let ns = self
            .inside
            .as_nanos()
            .checked_div(u128::from(self.yields))
            .unwrap_or(0);
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    /// The yielder's part of the CPU time of both. Other load on the CPU takes from both alike, so unlike
    /// the part of the wall-clock time this is not moved by it.
    pub(crate) fn share(&self) -> f64 {
        let both = self.yielder_cpu + self.busy_cpu;
        if both.is_zero() {
            0.0
        } else {
            self.yielder_cpu.as_secs_f64() / both.as_secs_f64()
        }
    }
}

/// Both threads end by themselves within [`BUSY_LIMIT`] or soon after, whatever happens to the other.
pub(crate) fn round() -> io::Result<Sample> {
    let cpu = pick_cpu()?;
    let busy_runs = AtomicBool::new(false);
    let done = AtomicBool::new(false);
    let (yielded, busy_cpu) = thread::scope(|scope| {
        let named = |name: &str| thread::Builder::new().name(name.to_owned());
        let busy = named("cede-probe-busy").spawn_scoped(scope, || keep_busy(cpu, &busy_runs, &done))?;
        let yielder = named("cede-probe-yield").spawn_scoped(scope, || keep_yielding(cpu, &busy_runs));
        let outcome = yielder.and_then(join);
        done.store(true, Relaxed);
        // If the busy thread failed, the yielder did for lack of it: then this is the error to report.
        let busy_cpu = join(busy)?;
        io::Result::Ok((outcome?, busy_cpu))
    })?;
    Ok(Sample {
        cpu,
        yields: yielded.yields,
        inside: yielded.inside,
        yielder_cpu: yielded.cpu,
        busy_cpu,
    })
}

fn join<T>(thread: ScopedJoinHandle<'_, io::Result<T>>) -> io::Result<T> {
    thread
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("a thread of the probe panicked")))
}

/// Not the caller's CPU if there is another: it may be the one with work to do.
pub(crate) fn pick_cpu() -> io::Result<usize> {
    let allowed = sys::allowed_cpus()?;
    let here = sys::current_cpu();
    let other = allowed.iter().copied().find(|&cpu| Some(cpu) != here);
    other
        .or(allowed.first().copied())
        .ok_or_else(|| io::Error::other("no CPU is allowed"))
}

/// Both threads have to be alike and ordinary: they inherit policy and slice from whoever calls the probe.
fn settle_on(cpu: usize) -> io::Result<()> {
    let inherited = sys::sched_attr()?;
    // A container that forbids the call leaves a fair thread at worst with a slice of the caller's choice,
    // which the forfeit shows up in as well. Under another policy a yield is something else.
    match sys::set_sched_attr(&inherited.ordinary()) {
        Err(error) if !inherited.is_fair() => Err(error),
        _ => sys::pin_to(cpu),
    }
}

/// Uses the CPU up until told to stop; returns the CPU time that this took.
fn keep_busy(cpu: usize, busy_runs: &AtomicBool, done: &AtomicBool) -> io::Result<Duration> {
    /// Long enough to make looking at the clock rare, short against a slice.
    const SPINS: u32 = 1000;
    settle_on(cpu)?;
    let start = Instant::now();
    let cpu_before = sys::thread_cpu_time()?;
    busy_runs.store(true, Relaxed);
    while !done.load(Relaxed) && start.elapsed() < BUSY_LIMIT {
        // Not spin_loop(): its PAUSE makes some hypervisors deschedule the virtual CPU.
        for spin in 0..SPINS {
            black_box(spin);
        }
    }
    Ok(sys::thread_cpu_time()?.saturating_sub(cpu_before))
}

struct Yielded {
    yields: u64,
    inside: Duration,
    cpu: Duration,
}

/// Yields in a tight loop for the length of the window, beside the busy thread.
fn keep_yielding(cpu: usize, busy_runs: &AtomicBool) -> io::Result<Yielded> {
    settle_on(cpu)?;
    let waiting = Instant::now();
    while !busy_runs.load(Relaxed) {
        if waiting.elapsed() > PATIENCE {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the busy thread did not come up in time",
            ));
        }
        thread::sleep(Duration::from_millis(1));
    }
    let cpu_before = sys::thread_cpu_time()?;
    let start = Instant::now();
    let mut yielded = Yielded {
        yields: 0,
        inside: Duration::ZERO,
        cpu: Duration::ZERO,
    };
    while start.elapsed() < WINDOW {
        let before = Instant::now();
        sys::yield_cpu();
        yielded.inside += before.elapsed();
        yielded.yields += 1;
    }
    yielded.cpu = sys::thread_cpu_time()?.saturating_sub(cpu_before);
    Ok(yielded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_share_of_nothing_are_zero() {
        let nothing = Sample {
            cpu: 0,
            yields: 0,
            inside: Duration::ZERO,
            yielder_cpu: Duration::ZERO,
            busy_cpu: Duration::ZERO,
        };
        assert_eq!(nothing.mean(), Duration::ZERO);
        assert!(nothing.share().abs() < f64::EPSILON);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_round_measures_both_threads_on_an_allowed_cpu() {
        let sample = round().unwrap();
        assert!(sys::allowed_cpus().unwrap().contains(&sample.cpu));
        assert!(sample.yields > 0);
        assert!(!sample.busy_cpu.is_zero());
        assert!(sample.share() > 0.0 && sample.share() < 1.0);
    }
}
