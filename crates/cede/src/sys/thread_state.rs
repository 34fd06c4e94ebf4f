//! Whether a thread wants a CPU.

#![allow(dead_code, reason = "the caller comes with the next commit")]

/// The start of a line that is sure to reach the state: a number of up to 10 digits, a name of up to 64
/// bytes (`proc_task_name` in fs/proc/array.c), blanks and parentheses.
pub(crate) const ENOUGH_TEXT: usize = 128;

/// What a thread does, as the scheduler sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadState {
    /// On a CPU or waiting for one, also within `sched_yield`.
    Runnable,
    /// Waiting for something else: data, a lock, a timer, a disk, a debugger.
    Blocked,
    /// It has come to its end.
    Ended,
}

impl ThreadState {
    /// Reads the third field of `/proc/PID/task/TID/stat`, of which the end may be missing.
    /// <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>
    ///
    /// The second is the thread's name in parentheses and can contain anything, parentheses and blanks
    /// included. All that follows are numbers, so the last closing parenthesis is its end.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let end_of_name = text.iter().rposition(|&byte| byte == b')')?;
        let [b' ', state, b' ', ..] = text.get(end_of_name + 1..)? else {
            return None;
        };
        match state {
            b'R' => Some(Self::Runnable),
            // W was waking or paging, K wakekill; I and P are idle and parked threads of the kernel.
            b'S' | b'D' | b'T' | b't' | b'I' | b'P' | b'W' | b'K' => Some(Self::Blocked),
            b'Z' | b'X' | b'x' => Some(Self::Ended),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_state() {
        let table = [
            ("R", Some(ThreadState::Runnable)),
            ("S", Some(ThreadState::Blocked)),
            ("D", Some(ThreadState::Blocked)),
            ("T", Some(ThreadState::Blocked)),
            ("t", Some(ThreadState::Blocked)),
            ("Z", Some(ThreadState::Ended)),
            ("X", Some(ThreadState::Ended)),
            ("?", None),
            ("", None),
            ("RS", None),
        ];
        for (letter, expected) in table {
            let line = format!("5697 (conn12) {letter} 5676 5676 5055 0 -1 4194304 100 0\n");
            assert_eq!(ThreadState::parse(line.as_bytes()), expected, "{letter:?}");
        }
    }

    #[test]
    fn a_line_without_its_parts_is_no_state() {
        for text in [
            "",
            "5697",
            "5697 (conn12",
            "5697 (conn12)",
            "5697 (conn12) R",
            "5697 (conn12)R 1",
        ] {
            assert_eq!(ThreadState::parse(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn the_longest_start_has_room() {
        let line = format!("{} ({}) S 1", u32::MAX, "x".repeat(64));
        assert!(line.len() <= ENOUGH_TEXT);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(text in any::<Vec<u8>>()) {
            let _ = ThreadState::parse(&text);
        }

        #[test]
        fn any_name_is_passed_over(name in proptest::collection::vec(any::<u8>(), 0..15)) {
            let line = [b"5697 (", name.as_slice(), b") S 5676 5676"].concat();
            prop_assert_eq!(ThreadState::parse(&line), Some(ThreadState::Blocked));
        }
    }
}
