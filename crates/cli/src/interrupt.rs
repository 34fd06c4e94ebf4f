use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

/// A flag that Ctrl-C or a request to terminate sets. A second Ctrl-C ends the process at once.
pub(crate) fn flag() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // In this order: the first Ctrl-C finds the flag unset. A second SIGTERM means no more than the first: a parent with
    // many threads that is killed sends one for each (PR_SET_PDEATHSIG(2const): when a thread ends, not the process).
    flag::register_conditional_shutdown(SIGINT, 128 + SIGINT, Arc::clone(&interrupted))?;
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}
