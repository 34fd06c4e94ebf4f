use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use scenario::{Meeting, WaitBy};

use super::wait::{change, until_changed};

/// What the threads of a meeting share.
#[derive(Debug)]
pub(super) struct Table {
    meeting: Meeting,
    wait_by: WaitBy,
    /// How often the turn was passed, or the barrier was opened.
    word: AtomicU32,
    /// Threads that have come to the barrier.
    arrived: AtomicU32,
    /// The meeting ends before this pass.
    end: AtomicU64,
}

impl Table {
    pub(super) fn new(meeting: Meeting, wait_by: WaitBy, passes: u64) -> Self {
        Self {
            meeting,
            wait_by,
            word: AtomicU32::new(0),
            arrived: AtomicU32::new(0),
            end: AtomicU64::new(passes),
        }
    }

    /// Whether there is another pass after `passes`.
    ///
    /// Thread 0 may shorten the meeting on its way to a pass. Nobody gets out of that pass before thread 0 has got
    /// there, so all see it in time.
    pub(super) fn goes_on(&self, passes: u64) -> bool {
        passes < self.end.load(Ordering::Relaxed)
    }

    /// Makes pass number `passes` the last one. For thread 0, before it makes that pass.
    pub(super) fn end_after(&self, passes: u64) {
        self.end.fetch_min(passes + 1, Ordering::Relaxed);
    }

    /// Makes a pass, as thread `me`.
    pub(super) fn pass(&self, me: u32) {
        match self.meeting {
            Meeting::PingPong => self.take_turn(me),
            Meeting::FourOnTwo | Meeting::TwoOnTwo => self.meet(),
        }
    }

    fn take_turn(&self, me: u32) {
        let mut turn = self.word.load(Ordering::Acquire);
        while turn % 2 != me {
            turn = until_changed(self.wait_by, &self.word, turn);
        }
        change(self.wait_by, &self.word, turn.wrapping_add(1));
    }

    fn meet(&self) {
        let opened = self.word.load(Ordering::Acquire);
        let before = self.arrived.fetch_add(1, Ordering::AcqRel);
        if before as usize + 1 == self.meeting.threads() {
            self.arrived.store(0, Ordering::Relaxed);
            change(self.wait_by, &self.word, opened.wrapping_add(1));
        } else {
            until_changed(self.wait_by, &self.word, opened);
        }
    }
}
