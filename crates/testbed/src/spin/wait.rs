use std::sync::atomic::{AtomicU32, Ordering};

use rustix::thread::futex;
use scenario::WaitBy;

/// Waits until `word` is no longer `known`, and gives what it is then.
pub(super) fn until_changed(wait_by: WaitBy, word: &AtomicU32, known: u32) -> u32 {
    loop {
        let value = word.load(Ordering::Acquire);
        if value != known {
            return value;
        }
        match wait_by {
            WaitBy::Cede => cede::yield_now(),
            #[allow(clippy::disallowed_methods, reason = "what the primitive is compared with")]
            WaitBy::Yield => rustix::thread::sched_yield(),
            // Whatever comes back, the word tells whether the wait is over.
            WaitBy::Futex => drop(futex::wait(word, futex::Flags::PRIVATE, known, None)),
        }
    }
}

/// Changes `word` for those who wait for that.
pub(super) fn change(wait_by: WaitBy, word: &AtomicU32, value: u32) {
    word.store(value, Ordering::Release);
    if wait_by == WaitBy::Futex {
        // Cannot fail: the address is a valid one.
        let _woken = futex::wake(word, futex::Flags::PRIVATE, i32::MAX.unsigned_abs());
    }
}
