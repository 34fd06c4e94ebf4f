use std::io;

use thiserror::Error;
use thread_priority::{
    Error, RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};

/// Why a thread cannot run at a real-time priority.
#[derive(Debug, Error)]
#[error(
    "cannot run at the real-time priority {priority}: {source}; expected root, or a limit (`ulimit -r`) that allows it"
)]
pub struct RealtimeError {
    priority: u8,
    source: io::Error,
}

/// Makes the calling thread, and every thread that it starts from now on, `SCHED_FIFO` with `priority`, 1 to 99: it
/// runs before every thread of the default policy, as interrupts do (sched(7)).
///
/// # Errors
/// If the kernel refuses.
pub fn run_as_fifo(priority: u8) -> Result<(), RealtimeError> {
    set(priority).map_err(|source| RealtimeError { priority, source })
}

fn set(priority: u8) -> io::Result<()> {
    let value = ThreadPriorityValue::try_from(priority).map_err(io::Error::other)?;
    set_thread_priority_and_policy(
        thread_native_id(),
        ThreadPriority::Crossplatform(value),
        ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo),
    )
    .map_err(|error| match error {
        Error::OS(code) => io::Error::from_raw_os_error(code),
        other => io::Error::other(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Policy and real-time priority of the calling thread, from proc(5): fields 41 and 40 of stat.
    fn policy_and_priority() -> (u32, u8) {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        // The name, which may hold blanks, is the second field.
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        (fields[38].parse().unwrap(), fields[37].parse().unwrap())
    }

    #[test]
    fn threads_inherit_it_or_the_refusal_says_what_was_expected() {
        const SCHED_FIFO: u32 = 1;
        std::thread::spawn(|| match run_as_fifo(7) {
            Ok(()) => {
                let inherited = std::thread::spawn(policy_and_priority).join().unwrap();
                assert_eq!(inherited, (SCHED_FIFO, 7));
            }
            Err(error) => {
                assert_eq!(error.source.kind(), io::ErrorKind::PermissionDenied);
                assert!(error.to_string().contains("priority 7: "), "{error}");
            }
        })
        .join()
        .unwrap();
    }

    #[test]
    fn priorities_outside_the_range_are_refused() {
        for priority in [0, 100] {
            assert!(run_as_fifo(priority).is_err(), "{priority}");
        }
    }
}
