//! The kernel's account of a thread: how much virtual time it was charged for its CPU time.
//!
//! A thread that runs is charged `vruntime` in proportion to its CPU time, at a rate that hangs on its weight. A
//! yield that forfeits charges up to a slice more, and nothing else does (`yield_task_fair()`, commit
//! 79104becf42b). Both numbers are in `/proc/thread-self/sched`, which is there unless the kernel was built without
//! `CONFIG_SCHED_DEBUG`, and both are brought up to date by the same function, so their quotient is exact.

use std::fs::File;
use std::io::{Read, Seek};
use std::time::{Duration, Instant};

use crate::sys;

/// Time to run without yielding, to learn the rate.
const RATE_TIME: Duration = Duration::from_micros(100);

/// Nearer to zero than this, a vruntime is not trusted: the kernel prints a negative number of less than a
/// millisecond without its sign (`nsec_high()` in kernel/sched/debug.c), and a fresh run queue starts at -1.05 ms.
const UNSIGNED_BELOW_NS: u64 = 2_000_000;

/// One reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    vruntime_ns: i64,
    cpu_ns: i64,
}

/// What a thread was charged since the ledger was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charge {
    /// CPU time that it has used.
    pub(crate) used: Duration,
    /// What it was charged beyond that, as the CPU time for which one is charged as much.
    pub(crate) beyond: Duration,
}

/// The calling thread's account.
#[derive(Debug)]
pub(crate) struct Ledger {
    file: File,
    opening: Entry,
    /// vruntime for each unit of CPU time: 1 at nice 0.
    rate: f64,
}

impl Ledger {
    /// Runs for [`RATE_TIME`]. `None` if there is no account that makes sense.
    pub(crate) fn open() -> Option<Self> {
        let mut file = File::open("/proc/thread-self/sched").ok()?;
        let before = read(&mut file)?;
        let start = Instant::now();
        while start.elapsed() < RATE_TIME {}
        let opening = read(&mut file)?;
        Some(Self {
            rate: rate(before, opening)?,
            file,
            opening,
        })
    }

    /// What the thread was charged since. `None` if that cannot be read just now.
    pub(crate) fn charged(&mut self) -> Option<Charge> {
        Some(charge(self.opening, read(&mut self.file)?, self.rate))
    }
}

fn read(file: &mut File) -> Option<Entry> {
    // Has the kernel charge the thread for what it has run until now; reading the file alone does not.
    sys::thread_cpu_time().ok()?;
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    parse(&text)
}

fn parse(text: &str) -> Option<Entry> {
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        nanoseconds(line.trim_start().strip_prefix(':')?.trim())
    };
    let entry = Entry {
        vruntime_ns: number("se.vruntime")?,
        cpu_ns: number("se.sum_exec_runtime")?,
    };
    (entry.vruntime_ns.unsigned_abs() >= UNSIGNED_BELOW_NS).then_some(entry)
}

/// Reads milliseconds with six decimals.
fn nanoseconds(text: &str) -> Option<i64> {
    let (whole, decimals) = text.split_once('.')?;
    if decimals.len() != 6 {
        return None;
    }
    // The point out of the way, it is an integer, also a negative one.
    format!("{whole}{decimals}").parse().ok()
}

/// vruntime by CPU time, if that can be a rate: weights go from 15 to 88,761 around the 1024 of nice 0, and those
/// of control groups from 2 on.
fn rate(from: Entry, to: Entry) -> Option<f64> {
    let rate = (to.vruntime_ns - from.vruntime_ns) as f64 / (to.cpu_ns - from.cpu_ns) as f64;
    (0.001..1e6).contains(&rate).then_some(rate)
}

fn charge(from: Entry, to: Entry, rate: f64) -> Charge {
    let used_ns = (to.cpu_ns - from.cpu_ns).max(0) as f64;
    let charged_ns = (to.vruntime_ns - from.vruntime_ns) as f64 / rate;
    let duration = |ns: f64| Duration::try_from_secs_f64(ns * 1e-9).unwrap_or_default();
    Charge {
        used: duration(used_ns),
        beyond: duration(charged_ns - used_ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(vruntime_ns: i64, cpu_ns: i64) -> Entry {
        Entry { vruntime_ns, cpu_ns }
    }

    #[test]
    fn the_kernels_table_is_read() {
        let text = "cat (7133, #threads: 1)\n\
                    -------------------------------------------------------------------\n\
                    se.exec_start                                :        562316.929230\n\
                    se.vruntime                                  :          1955.604322\n\
                    se.sum_exec_runtime                          :             0.019430\n\
                    policy                                       :                    0\n";
        assert_eq!(parse(text), Some(entry(1_955_604_322, 19_430)));
        assert_eq!(parse(""), None);
        assert_eq!(parse("se.vruntime : 5\nse.sum_exec_runtime : 1.000000"), None);
        assert_eq!(parse("se.vruntime : 1955.604322"), None);
    }

    #[test]
    fn a_vruntime_that_may_have_lost_its_sign_is_not_taken() {
        let text = |vruntime| format!("se.vruntime : {vruntime}\nse.sum_exec_runtime : 1.000000\n");
        assert_eq!(parse(&text("-2.500000")), Some(entry(-2_500_000, 1_000_000)));
        assert_eq!(parse(&text("0.900000")), None);
        assert_eq!(parse(&text("-1.048576")), None);
    }

    #[test]
    fn a_rate_comes_from_cpu_time_alone() {
        assert_eq!(rate(entry(0, 0), entry(100, 100)), Some(1.0));
        assert_eq!(rate(entry(0, 0), entry(0, 100)), None);
        assert_eq!(rate(entry(0, 0), entry(100, 0)), None);
        assert_eq!(rate(entry(5, 5), entry(5, 5)), None);
    }

    #[test]
    fn what_is_beyond_cpu_time_is_a_charge_at_every_weight() {
        for rate in [1024.0 / 88_761.0, 1.0, 1024.0 / 15.0] {
            let slice = 700_000.0;
            #[allow(clippy::cast_possible_truncation, reason = "some milliseconds")]
            let now = entry(5_000_000 + ((10_000.0 + slice) * rate) as i64, 110_000);
            let charge = charge(entry(5_000_000, 100_000), now, rate);
            assert_eq!(charge.used, Duration::from_micros(10));
            assert!(charge.beyond.abs_diff(Duration::from_micros(700)) < Duration::from_micros(1));
        }
        // Rounding may leave less than nothing.
        assert_eq!(charge(entry(0, 0), entry(9, 10), 1.0).beyond, Duration::ZERO);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_does_not_yield_is_charged_its_cpu_time() {
        let Some(mut ledger) = Ledger::open() else { return };
        let start = sys::thread_cpu_time().unwrap();
        while sys::thread_cpu_time().unwrap().saturating_sub(start) < 5 * RATE_TIME {}
        let charge = ledger.charged().unwrap();
        assert!(charge.used >= 5 * RATE_TIME, "{charge:?}");
        assert!(charge.beyond < charge.used / 2, "{charge:?}");
    }
}
