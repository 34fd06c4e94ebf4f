//! What a thread waits for.

/// A line that is sure to reach the number of the system call, and all of the word for a thread that runs.
pub(crate) const ENOUGH_TEXT: usize = 32;

/// What a thread does, as far as its kernel tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadState {
    /// On a CPU or waiting for one, also within `sched_yield`.
    Runnable,
    /// Waiting in `futex(2)`: for a lock, most likely, which others hold.
    Locked,
    /// Waiting for something else: data, a timer, a disk.
    Blocked,
}

impl ThreadState {
    /// Reads `/proc/PID/task/TID/syscall`, of which the end may be missing: the word `running`, or the number of the
    /// system call, -1 outside of one, and its arguments. `futex` is the number of that call.
    /// <https://man7.org/linux/man-pages/man5/proc_pid_syscall.5.html>
    pub(crate) fn parse(text: &[u8], futex: i64) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        match text.split_ascii_whitespace().next()? {
            "running" => Some(Self::Runnable),
            call => {
                let call: i64 = call.parse().ok()?;
                Some(if call == futex {
                    Self::Locked
                } else {
                    Self::Blocked
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FUTEX: i64 = 202;

    #[test]
    fn each_state() {
        let table = [
            ("running\n", Some(ThreadState::Runnable)),
            (
                "202 0x7f1c 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f1d\n",
                Some(ThreadState::Locked),
            ),
            ("0 0x3 0x7fe3f3136000 0x20000\n", Some(ThreadState::Blocked)),
            ("-1 0x7ffd1c96dfe8 0x7fe3f32b22ad\n", Some(ThreadState::Blocked)),
            ("", None),
            ("\n", None),
            ("run", None),
        ];
        for (line, expected) in table {
            assert_eq!(ThreadState::parse(line.as_bytes(), FUTEX), expected, "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(text in any::<Vec<u8>>()) {
            let _ = ThreadState::parse(&text, FUTEX);
        }
    }
}
