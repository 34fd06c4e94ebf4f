use std::{
    io::{self, BufRead, BufReader, Read},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

/// A child process whose output is read as it comes. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    lines: Receiver<String>,
    errors: Arc<Mutex<Vec<String>>>,
    error_reader: Option<JoinHandle<()>>,
}

/// Time to end for a process that is asked to.
const GRACE: Duration = Duration::from_secs(5);
/// How often a wait looks whether it is to end early.
const LOOK: Duration = Duration::from_millis(20);

impl Running {
    /// Starts `command` in a process group of its own, so that Ctrl-C reaches this process alone; `on_error_line` sees
    /// each line of its standard error.
    pub(super) fn start(
        mut command: Command,
        mut on_error_line: impl FnMut(&str) + Send + 'static,
    ) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (output, error_output) = (child.stdout.take(), child.stderr.take());
        let (sender, lines) = mpsc::channel();
        let errors = Arc::new(Mutex::new(Vec::new()));
        // From here on an error ends the child.
        let mut running = Self {
            child,
            lines,
            errors: Arc::clone(&errors),
            error_reader: None,
        };
        read_lines(output, move |line| {
            // Nobody may be interested any more; the pipe has to be emptied all the same.
            let _unread = sender.send(line);
        })?;
        running.error_reader = read_lines(error_output, move |line| {
            on_error_line(&line);
            errors.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        })?;
        Ok(running)
    }

    /// The next line of standard output; `None` at its end, at `deadline`, or when `stop` says so.
    pub(super) fn line(&self, deadline: Instant, stop: impl Fn() -> bool) -> Option<String> {
        while !stop() && Instant::now() < deadline {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }

    /// Waits for the end of a process that has closed its output, until `deadline`.
    pub(super) fn status(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            let status = self.child.try_wait()?;
            if status.is_some() || Instant::now() >= deadline {
                return Ok(status);
            }
            thread::sleep(LOOK);
        }
    }

    /// The number of the process.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// The lines of standard error so far.
    pub(super) fn errors(&self) -> Vec<String> {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Asked first: a server removes its temporary folder when it ends.
        let _ended = kill_process(Pid::from_child(&self.child), Signal::TERM);
        if !matches!(self.status(Instant::now() + GRACE), Ok(Some(_))) {
            let _ended = self.child.kill();
            let _status = self.child.wait();
        }
        // What sees its lines may hold something that is to be given back before this process ends.
        let _seen = self.error_reader.take().map(JoinHandle::join);
    }
}

fn read_lines(
    pipe: Option<impl Read + Send + 'static>,
    mut take: impl FnMut(String) + Send + 'static,
) -> io::Result<Option<JoinHandle<()>>> {
    let read = |pipe| {
        // Not `thread::spawn`, which panics where the user may have no more threads.
        thread::Builder::new().name("lines".into()).spawn(move || {
            for line in BufReader::new(pipe).lines() {
                let Ok(line) = line else { return };
                take(line);
            }
        })
    };
    pipe.map(read).transpose()
}
