use scenario::Cause;

/// The system calls in which threads of the server give up the CPU or may block, and what their time is booked as.
///
/// A call that is not here is not traced: time off the CPU in it is [`Cause::Other`], or [`Cause::Preempted`] if the
/// thread was runnable. Some exist on a few architectures only.
pub(super) const CALLS: [(&str, Cause); 21] = [
    ("sched_yield", Cause::Yield),
    ("nanosleep", Cause::Park),
    ("clock_nanosleep", Cause::Park),
    ("read", Cause::Receive),
    ("readv", Cause::Receive),
    ("recvfrom", Cause::Receive),
    ("recvmsg", Cause::Receive),
    ("recvmmsg", Cause::Receive),
    ("accept", Cause::Receive),
    ("accept4", Cause::Receive),
    ("poll", Cause::Receive),
    ("ppoll", Cause::Receive),
    ("select", Cause::Receive),
    ("pselect6", Cause::Receive),
    ("epoll_wait", Cause::Receive),
    ("epoll_pwait", Cause::Receive),
    ("epoll_pwait2", Cause::Receive),
    ("futex", Cause::Lock),
    ("futex_wait", Cause::Lock),
    ("futex_waitv", Cause::Lock),
    ("flock", Cause::Lock),
];

/// What time off the CPU in the call `name` is booked as.
pub(super) fn cause_of(name: &str) -> Option<Cause> {
    CALLS
        .iter()
        .find(|(call, _)| *call == name)
        .map(|&(_, cause)| cause)
}

/// With this bit set (`val3`) the primitive parks a thread in `futex`: crates/cede/src/sys/linux/futex.rs. Locks wait
/// with all bits set.
const PARK_MARK: &str = "val3: 63656465";

/// The same for a call with its arguments as the trace has them.
pub(super) fn cause_of_call(name: &str, arguments: &str) -> Option<Cause> {
    if name == "futex" && arguments.contains(PARK_MARK) {
        return Some(Cause::Park);
    }
    cause_of(name)
}
