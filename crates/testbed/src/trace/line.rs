//! The text format of tracefs: Documentation/trace/ftrace.rst in the kernel's source.

use std::iter;

use scenario::Cause;

use super::calls::{cause_of, cause_of_call};

/// One line of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Something happened.
    Event(Event<'a>),
    /// The kernel had no room for events; `None` if it does not say for how many.
    Lost(Option<u64>),
    /// The head of the trace: how many events are in it, and how many there were.
    Entries {
        /// Events in the trace.
        kept: u64,
        /// Events that were written, also those that were written over since.
        written: u64,
    },
    /// A comment, an event of another kind, or something that is not from a trace.
    Other,
}

/// Something that happened on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The thread that ran.
    pub tid: u32,
    /// The CPU.
    pub cpu: u32,
    /// When, in us on the trace's clock.
    pub at_us: u64,
    /// What.
    pub what: What<'a>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What<'a> {
    /// The CPU went from one thread to another.
    Switch {
        /// Who had it.
        prev: Task<'a>,
        /// Whether that one could have run on.
        runnable: bool,
        /// Whether that one has ended.
        dead: bool,
        /// Who has it now.
        next: Task<'a>,
    },
    /// The thread with this number is runnable again.
    Wakeup(u32),
    /// The thread that ran entered a system call that may block.
    Enter(Cause),
    /// It is about to leave it.
    Exit(Cause),
}

/// A thread in a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its number; 0 is a CPU's idle thread.
    pub tid: u32,
}

/// Reads one line. Names of threads may hold anything, so the fixed parts are looked for from the side on which no name
/// stands between them and the line's end.
#[must_use]
pub fn parse(line: &str) -> Line<'_> {
    let line = line.trim();
    if let Some(comment) = line.strip_prefix('#') {
        return entries(comment).unwrap_or(Line::Other);
    }
    lost(line)
        .or_else(|| event(line).map(Line::Event))
        .unwrap_or(Line::Other)
}

/// `# entries-in-buffer/entries-written: 205/10205   #P:4`
fn entries(comment: &str) -> Option<Line<'_>> {
    let numbers = comment
        .trim()
        .strip_prefix("entries-in-buffer/entries-written:")?;
    let (kept, written) = numbers.split_whitespace().next()?.split_once('/')?;
    Some(Line::Entries {
        kept: kept.parse().ok()?,
        written: written.parse().ok()?,
    })
}

/// `CPU:2 [LOST 123 EVENTS]`, and without a number where the kernel does not know it (`print_trace_line` in
/// kernel/trace/trace.c).
fn lost(line: &str) -> Option<Line<'_>> {
    let (_, what) = line.strip_prefix("CPU:")?.split_once(" [LOST ")?;
    Some(Line::Lost(
        what.split_once(' ').and_then(|(count, _)| count.parse().ok()),
    ))
}

/// `name-123     [000] d..2.    12.345678: sched_switch: prev_comm=...`
fn event(line: &str) -> Option<Event<'_>> {
    let (tid, cpu, rest) = head(line)?;
    // The flags may be switched off.
    let (first, after) = rest.split_once(' ')?;
    let (at_us, details) = if let Some(at_us) = time(first) {
        (at_us, after)
    } else {
        let (second, details) = after.trim_start().split_once(' ')?;
        (time(second)?, details)
    };
    Some(Event {
        tid,
        cpu,
        at_us,
        what: what(details.trim_start())?,
    })
}

/// The number of the thread, the CPU, and what follows: the first ` [000] ` after a thread's number and, if the trace
/// has them, the number of its process in parentheses.
fn head(line: &str) -> Option<(u32, u32, &str)> {
    let mut from = 0;
    iter::from_fn(|| {
        let at = from + line.get(from..)?.find(" [")?;
        from = at + 1;
        Some(at)
    })
    .find_map(|at| {
        let (cpu, rest) = line.get(at..)?.strip_prefix(" [")?.split_once("] ")?;
        let mut before = line.get(..at)?.trim_end();
        if let Some(open) = before.strip_suffix(')').and_then(|before| before.rfind('(')) {
            before = before.get(..open)?.trim_end();
        }
        let (_, tid) = before.rsplit_once('-')?;
        Some((number(tid)?, number(cpu)?, rest.trim_start()))
    })
}

/// Digits alone: `parse` would take a sign as well.
fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// `12.345678:` in us.
fn time(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.strip_suffix(':')?.split_once('.')?;
    if fraction.len() != 6 {
        return None;
    }
    u64::from(number(seconds)?)
        .checked_mul(1_000_000)?
        .checked_add(u64::from(number(fraction)?))
}

fn what(details: &str) -> Option<What<'_>> {
    if let Some(fields) = details.strip_prefix("sched_switch: ") {
        return switch(fields);
    }
    if let Some(fields) = details.strip_prefix("sched_wakeup: ") {
        let (_, after) = fields.rsplit_once(" pid=")?;
        return Some(What::Wakeup(number(after.split_whitespace().next()?)?));
    }
    // Events of system calls are written as calls, and their ends with the result: `sys_sched_yield()`,
    // `sys_sched_yield -> 0x0`.
    let call = details.strip_prefix("sys_")?;
    let end = call.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
    let (name, after) = call.split_at_checked(end)?;
    if after.starts_with('(') {
        cause_of_call(name, after).map(What::Enter)
    } else {
        let cause = cause_of(name)?;
        after.starts_with(" ->").then_some(What::Exit(cause))
    }
}

/// `prev_comm=a prev_pid=1 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 next_prio=120`
fn switch(fields: &str) -> Option<What<'_>> {
    let (prev, next) = fields.rsplit_once(" ==> next_comm=")?;
    let (prev_name, prev) = prev.strip_prefix("prev_comm=")?.rsplit_once(" prev_pid=")?;
    let (next_name, next) = next.rsplit_once(" next_pid=")?;
    let (_, state) = prev.rsplit_once(" prev_state=")?;
    Some(What::Switch {
        prev: Task {
            name: prev_name,
            tid: number(prev.split_whitespace().next()?)?,
        },
        // `R+` is a thread that was preempted inside the kernel, whatever it was about to become.
        runnable: state.starts_with('R') || state.ends_with('+'),
        dead: state.starts_with(['X', 'Z']),
        next: Task {
            name: next_name,
            tid: number(next.split_whitespace().next()?)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(tid: u32, cpu: u32, at_us: u64, what: What<'_>) -> Line<'_> {
        Line::Event(Event {
            tid,
            cpu,
            at_us,
            what,
        })
    }

    #[test]
    fn a_switch_names_both_threads_and_the_state() {
        let line = "            conn-101     [003] d..2.    12.000345: sched_switch: prev_comm=conn prev_pid=101 \
                    prev_prio=120 prev_state=S ==> next_comm=patrol next_pid=7 next_prio=120";
        let what = What::Switch {
            prev: Task {
                name: "conn",
                tid: 101,
            },
            runnable: false,
            dead: false,
            next: Task {
                name: "patrol",
                tid: 7,
            },
        };
        assert_eq!(parse(line), at(101, 3, 12_000_345, what));
    }

    #[test]
    fn states_tell_whether_a_thread_is_runnable_or_dead() {
        for (state, expected) in [
            ("R", (true, false)),
            ("R+", (true, false)),
            ("S", (false, false)),
            ("S+", (true, false)),
            ("D", (false, false)),
            ("X", (false, true)),
            ("Z", (false, true)),
        ] {
            let line = format!(
                "a-1 [000] d..2. 1.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state={state} \
                 ==> next_comm=b next_pid=2 next_prio=120"
            );
            let Line::Event(Event {
                what: What::Switch { runnable, dead, .. },
                ..
            }) = parse(&line)
            else {
                panic!("{line}");
            };
            assert_eq!((runnable, dead), expected, "{state}");
        }
    }

    #[test]
    fn names_with_spaces_dashes_and_brackets_are_no_hindrance() {
        let line = "   my [x] th-3 (1)-12     [001] d..2.     0.000001: sched_switch: prev_comm=my [x] th-3 (1) prev_pid=12 \
                    prev_prio=120 prev_state=R ==> next_comm=a pid=5 b next_pid=13 next_prio=120";
        let what = What::Switch {
            prev: Task {
                name: "my [x] th-3 (1)",
                tid: 12,
            },
            runnable: true,
            dead: false,
            next: Task {
                name: "a pid=5 b",
                tid: 13,
            },
        };
        assert_eq!(parse(line), at(12, 1, 1, what));
        let wakeup =
            "<idle>-0  [000] dNh4.  3.500000: sched_wakeup: comm=a pid=5 b pid=9 prio=120 target_cpu=000";
        assert_eq!(parse(wakeup), at(0, 0, 3_500_000, What::Wakeup(9)));
    }

    #[test]
    fn calls_are_entered_and_left() {
        for (text, what) in [
            ("sys_sched_yield()", Some(What::Enter(Cause::Yield))),
            ("sys_sched_yield -> 0x0", Some(What::Exit(Cause::Yield))),
            (
                "sys_futex(uaddr: 7f00, op: 80, val: 2, utime: 0)",
                Some(What::Enter(Cause::Lock)),
            ),
            (
                "sys_futex(uaddr: 7f00, op: 89, val: 1, utime: 7f10, uaddr2: 0, val3: 63656465)",
                Some(What::Enter(Cause::Park)),
            ),
            (
                "sys_recvfrom -> 0xfffffffffffffff5",
                Some(What::Exit(Cause::Receive)),
            ),
            (
                "sys_clock_nanosleep(which_clock: 0)",
                Some(What::Enter(Cause::Park)),
            ),
            ("sys_getpid()", None),
            ("sys_sched_yield", None),
        ] {
            let line = format!("            conn-101     [000] .....    12.000345: {text}");
            let expected = what.map_or(Line::Other, |what| at(101, 0, 12_000_345, what));
            assert_eq!(parse(&line), expected, "{text}");
        }
    }

    #[test]
    fn columns_may_come_and_go() {
        let yielding = at(101, 0, 12_000_345, What::Enter(Cause::Yield));
        for head in [
            "conn-101 [000] 12.000345:",
            "conn-101     (    100) [000] d..2. 12.000345:",
            "conn-101     (-------) [000] ..... 12.000345:",
            // Linux 4: four flags.
            "conn-101   [000] ....    12.000345:",
        ] {
            assert_eq!(parse(&format!("{head} sys_sched_yield()")), yielding, "{head}");
        }
    }

    #[test]
    fn what_is_missing_is_told() {
        assert_eq!(parse("CPU:0 [LOST 123 EVENTS]"), Line::Lost(Some(123)));
        assert_eq!(parse("CPU:15 [LOST EVENTS]"), Line::Lost(None));
        assert_eq!(
            parse("# entries-in-buffer/entries-written: 205/10205   #P:4"),
            Line::Entries {
                kept: 205,
                written: 10_205
            }
        );
        for line in [
            "# tracer: nop",
            "#",
            "",
            "##### CPU 1 buffer started ####",
            "no trace at all",
        ] {
            assert_eq!(parse(line), Line::Other, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(line in ".{0,200}") {
            let _ = parse(&line);
        }

        #[test]
        fn any_text_in_the_place_of_a_field_is_read(
            name in ".{0,16}", pid in ".{0,8}", time in "[0-9.:]{0,30}", state in ".{0,4}", call in ".{0,8}",
        ) {
            let _ = parse(&format!(
                "{name}-{pid} [{pid}] d..2. {time} sched_switch: prev_comm={name} prev_pid={pid} prev_prio=120 \
                 prev_state={state} ==> next_comm={name} next_pid={pid} next_prio=120"
            ));
            let _ = parse(&format!("{name}-1 [000] d..2. {time} sched_wakeup: comm={name} pid={pid} prio=120"));
            let _ = parse(&format!("{name}-1 [000] d..2. 1.000000: sys_{call}"));
        }

        /// Whatever a thread is called, it is found, as long as its name does not imitate the columns themselves.
        #[test]
        fn a_switch_is_read_whatever_the_names(
            prev in "[ -~&&[^\\[=]]{1,15}", next in "[ -~&&[^\\[=]]{1,15}", tid in 0_u32..4_194_304,
        ) {
            let line = format!(
                "{prev}-{tid} [002] d..2. 7.000001: sched_switch: prev_comm={prev} prev_pid={tid} prev_prio=120 \
                 prev_state=S ==> next_comm={next} next_pid=1 next_prio=120"
            );
            // Spaces and marks at the very start of a line are not the name's.
            prop_assume!(!prev.trim_start().starts_with(['#', 'C']));
            let what = What::Switch {
                prev: Task { name: &prev, tid },
                runnable: false,
                dead: false,
                next: Task { name: &next, tid: 1 },
            };
            prop_assert_eq!(parse(&line), at(tid, 2, 7_000_001, what));
        }
    }
}
