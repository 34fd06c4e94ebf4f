//! The drop-in for `std::thread::yield_now`.

use std::cell::RefCell;

use crate::domain::Domain;
use crate::session::Session;
use crate::sys;

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Offers the CPU: to be called where `std::thread::yield_now` or `sched_yield(2)` was, with nothing else to do.
///
/// The calling thread becomes a session of [`Domain::global`] until it ends. Under [`Policy::Auto`] it mostly keeps its
/// CPU, and gives it away after much work while another thread that calls this has waited for too long. In a loop that
/// waits for something to change, it gives the CPU away each time: by a yield where that is cheap, and else by a short
/// sleep, so that whoever is waited for can run, also with another priority.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use std::thread;
///
/// static READY: AtomicBool = AtomicBool::new(false);
///
/// let other = thread::spawn(|| READY.store(true, Ordering::Release));
/// while !READY.load(Ordering::Acquire) {
///     cede::yield_now();
/// }
/// other.join().unwrap();
/// assert!(cede::Domain::global().snapshot().sessions_total <= 1);
/// ```
///
/// [`Policy::Auto`]: crate::Policy::Auto
pub fn yield_now() {
    let yielded = SESSION.try_with(|session| {
        // Borrowed already: a signal's handler has interrupted this very function.
        let mut session = session.try_borrow_mut().ok()?;
        session
            .get_or_insert_with(|| Domain::global().session())
            .yield_point();
        Some(())
    });
    if !matches!(yielded, Ok(Some(()))) {
        // The thread is about to end, and its session has ended already.
        sys::yield_cpu();
    }
}
