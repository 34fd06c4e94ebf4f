//! Everything `cede` asks of the operating system, behind one set of safe functions.
//!
//! `linux` holds the system calls, one per file, and with them all the unsafe code of the crate. `fallback`
//! has the same functions for every other system, on the standard library alone; tests compile it
//! everywhere, so that it cannot rot unseen.

#[cfg(any(test, not(target_os = "linux")))]
mod fallback;
#[cfg(target_os = "linux")]
mod linux;
mod sched_attr;
mod thread_state;
mod thread_times;
mod thread_usage;

#[cfg(not(target_os = "linux"))]
pub(crate) use self::fallback::{
    allowed_cpus, context_switches, current_cpu, monotonic_ns, nap, nap_for, park, pin_to, process_cpus,
    sched_attr, set_sched_attr, set_timer_slack, thread_cpu_time, timer_slack, uname, unpark, yield_cpu,
};
#[cfg(not(target_os = "linux"))]
pub(crate) use self::fallback::{thread_id, thread_state, thread_times, thread_usage};
#[cfg(target_os = "linux")]
pub(crate) use self::linux::{
    allowed_cpus, context_switches, current_cpu, monotonic_ns, nap, nap_for, park, pin_to, process_cpus,
    sched_attr, set_sched_attr, set_timer_slack, thread_cpu_time, timer_slack, uname, unpark, yield_cpu,
};
#[cfg(target_os = "linux")]
pub(crate) use self::linux::{thread_id, thread_state, thread_times, thread_usage};
pub(crate) use self::sched_attr::SchedAttr;
pub(crate) use self::thread_state::ThreadState;
pub(crate) use self::thread_times::ThreadTimes;
pub(crate) use self::thread_usage::ThreadUsage;

/// What `uname(2)` says about the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelName {
    /// `uname -r`.
    pub(crate) release: String,
    /// `uname -v`: the build, where Debian puts the upstream version.
    pub(crate) build: String,
}
