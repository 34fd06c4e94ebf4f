use std::{
    io,
    os::fd::{AsRawFd, OwnedFd},
};

use mio::{Interest, Registry, Token, unix::SourceFd};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

const NEVER: u64 = u64::MAX;

/// Wakes a poll at a point in time, to a few us: `epoll_wait` itself only counts milliseconds.
///
/// The timer is never read. It is registered edge-triggered, so each expiry is one event, and arming it anew clears
/// what has expired.
#[derive(Debug)]
pub(super) struct Timer {
    fd: OwnedFd,
    armed_ns: u64,
}

impl Timer {
    pub(super) fn new(registry: &Registry, token: Token) -> io::Result<Self> {
        let fd = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        registry.register(&mut SourceFd(&fd.as_raw_fd()), token, Interest::READABLE)?;
        Ok(Self { fd, armed_ns: NEVER })
    }

    /// Makes the timer go off at `due_ns` or earlier: it costs a system call only where no earlier time is armed.
    pub(super) fn arm(&mut self, due_ns: u64, now_ns: u64) -> io::Result<()> {
        let pending = self.armed_ns > now_ns && self.armed_ns <= due_ns;
        if pending {
            return Ok(());
        }
        let time = Itimerspec {
            it_interval: Timespec::default(),
            it_value: Timespec {
                tv_sec: (due_ns / 1_000_000_000).cast_signed(),
                tv_nsec: (due_ns % 1_000_000_000).cast_signed(),
            },
        };
        timerfd_settime(&self.fd, TimerfdTimerFlags::ABSTIME, &time)?;
        self.armed_ns = due_ns;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mio::{Events, Poll};

    use super::*;
    use crate::client::clock::now_ns;

    #[test]
    fn each_arming_gives_one_event_and_never_an_early_one() {
        let mut poll = Poll::new().unwrap();
        let mut events = Events::with_capacity(4);
        let mut timer = Timer::new(poll.registry(), Token(7)).unwrap();
        for _ in 0..3 {
            let now = now_ns();
            let due = now + 100_000;
            timer.arm(due, now).unwrap();
            poll.poll(&mut events, Some(Duration::from_secs(10))).unwrap();
            assert!(now_ns() >= due);
            assert_eq!(
                events.iter().map(mio::event::Event::token).collect::<Vec<_>>(),
                [Token(7)]
            );
        }
    }

    #[test]
    fn an_earlier_time_replaces_a_later_one() {
        let mut poll = Poll::new().unwrap();
        let mut events = Events::with_capacity(4);
        let mut timer = Timer::new(poll.registry(), Token(0)).unwrap();
        let now = now_ns();
        timer.arm(now + 3_600_000_000_000, now).unwrap();
        timer.arm(now + 1_000, now).unwrap();
        poll.poll(&mut events, Some(Duration::from_secs(10))).unwrap();
        assert!(!events.is_empty());
    }
}
