use std::io;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

/// Makes the kernel end this process when its parent ends, however it does. `parent` is the process id that the parent
/// has told.
///
/// # Errors
/// If the kernel refuses, or the parent has ended already.
pub fn end_with_parent(parent: u32) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::TERM))?;
    // A parent that ended before the call leaves no signal behind, only another parent.
    let now = getppid().map(|now| now.as_raw_nonzero().get().unsigned_abs());
    if now == Some(parent) {
        Ok(())
    } else {
        Err(io::Error::other(format!(
            "the process {parent} that started this one has ended"
        )))
    }
}
