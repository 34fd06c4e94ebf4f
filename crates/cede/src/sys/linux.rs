//! Linux: one system call per file.

mod clock_gettime;
mod futex;
mod getcpu;
mod getrusage;
mod gettid;
mod nanosleep;
mod prctl_timerslack;
mod process_affinity;
mod sched_affinity;
mod sched_getattr;
mod sched_setattr;
mod sched_yield;
mod schedstat;
mod task_syscall;
mod uname;

use std::io;

pub(crate) use self::clock_gettime::{monotonic_ns, thread_cpu_time};
pub(crate) use self::futex::{park, unpark};
pub(crate) use self::getcpu::current_cpu;
pub(crate) use self::getrusage::{context_switches, thread_usage};
pub(crate) use self::gettid::thread_id;
pub(crate) use self::nanosleep::{nap, nap_for};
pub(crate) use self::prctl_timerslack::{set_timer_slack, timer_slack};
pub(crate) use self::process_affinity::process_cpus;
pub(crate) use self::sched_affinity::{allowed_cpus, pin_to};
pub(crate) use self::sched_getattr::sched_attr;
pub(crate) use self::sched_setattr::set_sched_attr;
pub(crate) use self::sched_yield::yield_cpu;
pub(crate) use self::schedstat::thread_times;
pub(crate) use self::task_syscall::thread_state;
pub(crate) use self::uname::uname;

/// Turns the C convention, -1 and `errno`, into a `Result`.
fn check<T: Into<i64>>(returned: T) -> io::Result<i64> {
    match returned.into() {
        -1 => Err(io::Error::last_os_error()),
        value => Ok(value),
    }
}
