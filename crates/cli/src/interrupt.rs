use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

/// A flag that Ctrl-C or a request to terminate sets. The second one ends the process at once.
pub(crate) fn flag() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag unset.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&interrupted))?;
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}
