//! What the scheduler has booked on a thread.

/// The longest text: three numbers of 64 bits, two blanks and a line feed.
pub(crate) const LONGEST_TEXT: usize = 3 * 20 + 2 + 1;

/// A thread's line in `/proc/TID/schedstat`, since the thread began.
/// <https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadTimes {
    /// Time on a CPU as of the last tick or switch, so up to a tick (1 to 10 ms) too little while the thread
    /// runs: the kernel prints `se.sum_exec_runtime` without bringing it up to date (`proc_pid_schedstat` in
    /// fs/proc/base.c). [`thread_cpu_time`](super::thread_cpu_time) is exact, and brings this up to date.
    pub(crate) cpu_ns: u64,
    /// Time in a run queue without a CPU, after a wake-up as after a yield or a preemption. Exact while the
    /// thread runs: booked when it gets a CPU (`sched_info_arrive` in kernel/sched/stats.h).
    pub(crate) run_delay_ns: u64,
    /// How often it was given a CPU.
    pub(crate) timeslices: u64,
}

impl ThreadTimes {
    /// Reads the three numbers. `None` also if all are 0, which is what a kernel before 5.14 prints if it
    /// could account and was booted not to (`sched_info_on` in include/linux/sched/stat.h): a thread that
    /// runs has had a CPU at least once.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let mut numbers = std::str::from_utf8(text).ok()?.split_ascii_whitespace();
        let mut next = || numbers.next()?.parse().ok();
        let times = Self {
            cpu_ns: next()?,
            run_delay_ns: next()?,
            timeslices: next()?,
        };
        (times != Self::default()).then_some(times)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_form() {
        let times = |cpu_ns, run_delay_ns, timeslices| {
            Some(ThreadTimes {
                cpu_ns,
                run_delay_ns,
                timeslices,
            })
        };
        let table = [
            ("1843912 37247 12\n", times(1_843_912, 37_247, 12)),
            // A thread on its first tick.
            ("0 37247 1\n", times(0, 37_247, 1)),
            // A later kernel may add numbers.
            ("1 2 3 4\n", times(1, 2, 3)),
            ("0 0 0\n", None),
            ("1 2\n", None),
            ("1 2 -3\n", None),
            ("18446744073709551616 0 1\n", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(ThreadTimes::parse(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn the_longest_text_has_room() {
        let text = format!("{0} {0} {0}\n", u64::MAX);
        assert_eq!(text.len(), LONGEST_TEXT);
        assert!(ThreadTimes::parse(text.as_bytes()).is_some());
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(text in any::<Vec<u8>>()) {
            let _ = ThreadTimes::parse(&text);
        }
    }
}
