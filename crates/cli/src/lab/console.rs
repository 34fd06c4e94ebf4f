use std::{
    fs::File,
    io::{Read, Write, stderr},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// How often to look for more.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` and copies what is added to `file` meanwhile to standard error, as it comes.
pub(super) fn shown<T: Send>(file: &Path, work: impl FnOnce() -> T + Send) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut console = None;
            loop {
                // In this order, so that the last look is at the whole of it.
                let is_last = done.load(Ordering::SeqCst);
                if console.is_none() {
                    console = File::open(file).ok();
                }
                let mut more = Vec::new();
                if let Some(console) = &mut console {
                    // Where that fails there is nothing to show, and where nobody reads no need to.
                    let _unreadable = console.read_to_end(&mut more);
                    let _unread = stderr().write_all(&more);
                }
                if is_last {
                    return;
                }
                thread::sleep(LOOK);
            }
        });
        let result = work();
        done.store(true, Ordering::SeqCst);
        result
    })
}
