use std::{
    fs::{self, File},
    io,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use thiserror::Error;

use crate::{
    Clock, console,
    frame::{self, Frame, FrameError},
    records,
};

/// How often the machine is looked after.
const LOOK: Duration = Duration::from_millis(10);

/// A virtual machine for one boot.
#[derive(Debug)]
pub(crate) struct Machine<'a> {
    /// What time is.
    pub(crate) clock: Clock,
    /// The kernel's image.
    pub(crate) kernel: &'a Path,
    /// The initial RAM file system.
    pub(crate) initramfs: &'a Path,
    /// Virtual CPUs.
    pub(crate) cpus: u32,
    /// Where the console, the guest's report and QEMU's own words are kept.
    pub(crate) folder: &'a Path,
    /// Real time that the guest gets.
    pub(crate) limits: Limits,
}

/// How much real time a guest gets. A machine that hangs shows in nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// From its start to its first word.
    pub(crate) boot: Duration,
    /// From its start to its end.
    pub(crate) whole: Duration,
}

/// Memory of a guest, in MiB, beside that of each connection's thread.
const MEMORY_MIB: u32 = 768;

/// Why a machine has no result.
#[derive(Debug, Error)]
pub enum MachineError {
    /// QEMU could not be started.
    #[error("cannot start QEMU: {0}")]
    Start(#[source] io::Error),
    /// A file of the run's record cannot be written or read.
    #[error("cannot use {}: {source}", file.display())]
    Record {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It was asked to end.
    #[error("interrupted")]
    Interrupted,
    /// The guest told nothing in time.
    #[error("the guest {what} within {} s; {last_words}", limit.as_secs())]
    TooLong {
        /// What it did not do.
        what: &'static str,
        /// The limit.
        limit: Duration,
        /// The last lines of its console.
        last_words: String,
    },
    /// The kernel fell.
    #[error("the guest ended by {verdict}; {last_words}")]
    Fell {
        /// What its console says.
        verdict: &'static str,
        /// The last lines of its console.
        last_words: String,
    },
    /// QEMU ended without a report of the guest.
    #[error("QEMU ended early, with {status}; {last_words}")]
    Ended {
        /// How it ended.
        status: String,
        /// Its own last line, or those of the guest's console.
        last_words: String,
    },
    /// The machine has switched itself off, and the guest said nothing.
    #[error("the machine ended without a word of the guest; {last_words}")]
    Silent {
        /// QEMU's own last line, or those of the guest's console.
        last_words: String,
    },
    /// The report is damaged.
    #[error("the guest's report cannot be read: {0}")]
    Frame(#[from] FrameError),
    /// The guest said that it failed.
    #[error("{0}")]
    Guest(String),
}

impl Machine<'_> {
    /// Boots it with `qemu`, a command without arguments of its own but for those that QEMU needs on this host, and gives
    /// the frames that the guest has sent when it has switched itself off.
    pub(crate) fn run(&self, mut qemu: Command, stop: &AtomicBool) -> Result<Vec<Frame>, MachineError> {
        for name in [records::CONSOLE, records::REPORT] {
            self.write(name, &[])?;
        }
        let words = self.folder.join(records::QEMU);
        let output = File::create(&words).map_err(|source| MachineError::Record { file: words, source })?;
        self.arguments(&mut qemu, &self.port(records::CONSOLE));
        let child = qemu
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(output)
            // Ctrl-C is for this program, which then ends the machine and says so.
            .process_group(0)
            .spawn()
            .map_err(MachineError::Start)?;
        let status = self.wait(Killed(child), stop)?;
        self.report(status)
    }

    /// Boots it with `qemu` and this process's terminal as its console, until the guest or the user ends it.
    pub(crate) fn interact(&self, mut qemu: Command) -> Result<(), MachineError> {
        self.arguments(&mut qemu, "mon:stdio");
        let status = qemu.status().map_err(MachineError::Start)?;
        if status.success() {
            Ok(())
        } else {
            Err(MachineError::Ended {
                status: describe(status),
                last_words: "its console was this terminal".to_owned(),
            })
        }
    }

    fn arguments(&self, qemu: &mut Command, console: &str) {
        qemu.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]);
        qemu.args(self.clock.arguments());
        qemu.args(["-m", &MEMORY_MIB.to_string(), "-smp", &self.cpus.to_string()]);
        qemu.args(["-serial", console, "-serial", &self.port(records::REPORT)]);
        qemu.arg("-kernel").arg(self.kernel);
        qemu.arg("-initrd").arg(self.initramfs);
        qemu.args(["-append", &self.kernel_arguments()]);
    }

    /// A serial port whose output is kept in the record.
    fn port(&self, name: &str) -> String {
        format!("file:{}", self.folder.join(name).display())
    }

    /// The kernel's command line: no sound but errors, an end after each of them, and nothing that differs between boots.
    pub(crate) fn kernel_arguments(&self) -> String {
        format!(
            "console=ttyS0 quiet panic=-1 oops=panic mitigations=off nokaslr norandmaps {}",
            self.clock.kernel_arguments(self.cpus)
        )
    }

    fn wait(&self, mut qemu: Killed, stop: &AtomicBool) -> Result<ExitStatus, MachineError> {
        let start = Instant::now();
        let mut up = false;
        loop {
            let ended = qemu.0.try_wait().map_err(MachineError::Start)?;
            // First, since whoever stops this program may have stopped QEMU, too.
            if stop.load(Ordering::SeqCst) {
                return Err(MachineError::Interrupted);
            }
            if let Some(status) = ended {
                return Ok(status);
            }
            let limit = if up { self.limits.whole } else { self.limits.boot };
            if start.elapsed() >= limit {
                return Err(MachineError::TooLong {
                    what: if up { "had no result" } else { "did not start" },
                    limit,
                    last_words: self.last_words(),
                });
            }
            up = up || fs::metadata(self.folder.join(records::REPORT)).is_ok_and(|report| report.len() > 0);
            thread::sleep(LOOK);
        }
    }

    fn report(&self, status: ExitStatus) -> Result<Vec<Frame>, MachineError> {
        let frames = frame::read(&self.read(records::REPORT)?);
        let fell = console::verdict(&self.console());
        match (frames, fell) {
            (_, Some(verdict)) => Err(MachineError::Fell {
                verdict,
                last_words: self.last_words(),
            }),
            (Ok(frames), None) if status.success() => {
                let failure = frames.iter().find(|frame| frame.kind == Frame::FAILURE);
                match failure {
                    Some(failure) => Err(MachineError::Guest(failure.text())),
                    None if frames.is_empty() => Err(MachineError::Silent {
                        last_words: self.last_words(),
                    }),
                    None => Ok(frames),
                }
            }
            (Err(error), None) if status.success() => Err(error.into()),
            _ => Err(MachineError::Ended {
                status: describe(status),
                last_words: self.last_words(),
            }),
        }
    }

    fn console(&self) -> String {
        self.read(records::CONSOLE)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// The end of the guest's console and of what QEMU itself had to say.
    fn last_words(&self) -> String {
        let own = self.read(records::QEMU).unwrap_or_default();
        let texts = [
            ("console", console::last_lines(&self.console())),
            ("QEMU", console::first_line(&String::from_utf8_lossy(&own))),
        ];
        let said: Vec<String> = texts
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(who, text)| format!("{who}: {text}"))
            .collect();
        if said.is_empty() {
            "its console is empty".to_owned()
        } else {
            said.join("; ")
        }
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, MachineError> {
        let file = self.folder.join(name);
        fs::read(&file).map_err(|source| MachineError::Record { file, source })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), MachineError> {
        let file = self.folder.join(name);
        fs::write(&file, bytes).map_err(|source| MachineError::Record { file, source })
    }
}

/// A process that is killed when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // Both fail only for a process that has ended already.
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

fn describe(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("signal {signal}"),
        None => format!("status {}", status.code().unwrap_or_default()),
    }
}
