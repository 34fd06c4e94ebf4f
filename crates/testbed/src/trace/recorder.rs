use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use scenario::OffCpu;
use thiserror::Error;

use super::{attribution::Attribution, calls::CALLS, threads::Threads};

/// Where tracefs is mounted (Documentation/trace/ftrace.rst).
const TRACEFS: &str = "/sys/kernel/tracing";
/// Room for events, in KiB, of all CPUs together and of one at most: some 700,000 events.
const BUFFER_KIB: u64 = 256 * 1024;
const BUFFER_OF_A_CPU_KIB: u64 = 64 * 1024;
/// A CPU's buffer is at least so large that a reader finds more than the last few milliseconds.
const LEAST_BUFFER_KIB: u64 = 1024;

/// Has the kernel record what its scheduler does, from [`Recorder::begin`] to [`Recorder::end`].
///
/// Takes root. Events go to a buffer of its own, so that whoever else traces on this machine is not disturbed; it is
/// given back when the recorder is dropped. All CPUs and processes are recorded, because those that run while a thread
/// waits are anybody's.
#[derive(Debug)]
pub struct Recorder {
    instance: Instance,
    process: u32,
    threads: Threads,
}

/// Why there is no record.
#[derive(Debug, Error)]
pub enum TraceError {
    /// No buffer for events can be had.
    #[error("cannot trace in {folder}: {source}; expected root and a mounted tracefs")]
    Tracefs {
        /// The folder that was to be made.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The kernel does not take a setting.
    #[error("cannot set {file} to {value}: {source}")]
    Setting {
        /// The setting.
        file: PathBuf,
        /// Its value.
        value: String,
        /// The system's error.
        source: io::Error,
    },
    /// The kernel lacks an event without which there is nothing to tell.
    #[error("the kernel has no event {0}; expected CONFIG_FTRACE_SYSCALLS and CONFIG_EVENT_TRACING")]
    Event(&'static str),
    /// The record cannot be read.
    #[error("cannot read {file}: {source}")]
    Read {
        /// The record.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Recorder {
    /// Prepares and begins at once. Threads of `process` are the server's.
    ///
    /// # Errors
    /// If the user is not root, tracefs is not mounted, or the kernel lacks the events.
    pub fn start(process: u32) -> Result<Self, TraceError> {
        let mut recorder = Self::prepare(process)?;
        recorder.begin()?;
        Ok(recorder)
    }

    /// Sets everything up and records nothing yet. This is what takes time: half a second was seen.
    ///
    /// # Errors
    /// If the user is not root, tracefs is not mounted, or the kernel lacks the events.
    pub fn prepare(process: u32) -> Result<Self, TraceError> {
        let instance = Instance::create(Path::new(TRACEFS))?;
        instance.set("tracing_on", "0")?;
        // The clock of the load client and of virtual time; and unlike the default one it is the same on all CPUs.
        instance.set("trace_clock", "mono")?;
        let cpus = fs::read_dir(instance.folder.join("per_cpu")).map_or(1, Iterator::count);
        instance.set("buffer_size_kb", &buffer_kib(cpus).to_string())?;
        for event in ["sched/sched_switch", "sched/sched_wakeup"] {
            if !instance.enable(event)? {
                return Err(TraceError::Event(event));
            }
        }
        for (call, _) in CALLS {
            // Not every architecture has every call.
            let traced = instance.enable(&format!("syscalls/sys_enter_{call}"))?
                && instance.enable(&format!("syscalls/sys_exit_{call}"))?;
            if !traced && call == "sched_yield" {
                return Err(TraceError::Event("syscalls/sys_enter_sched_yield"));
            }
        }
        Ok(Self {
            instance,
            process,
            threads: Threads::of(process),
        })
    }

    /// Finds out whether this user can record on this machine.
    ///
    /// # Errors
    /// If the user is not root or tracefs is not mounted.
    pub fn check() -> Result<(), TraceError> {
        Instance::create(Path::new(TRACEFS)).map(drop)
    }

    /// Records from now on.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn begin(&mut self) -> Result<(), TraceError> {
        // Those of the kernel are known, and looking through all processes takes too long for now.
        self.threads.merge(Threads::of_server(self.process));
        self.instance.set("tracing_on", "1")
    }

    /// Records no more.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn end(&mut self) -> Result<(), TraceError> {
        self.instance.set("tracing_on", "0")?;
        self.threads.merge(Threads::of(self.process));
        Ok(())
    }

    /// Ends the recording and reads it.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn stop(mut self) -> Result<OffCpu, TraceError> {
        self.end()?;
        self.read()
    }

    /// Reads what was recorded, which takes a few us for each event.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn read(mut self) -> Result<OffCpu, TraceError> {
        let mut attribution = Attribution::new(std::mem::take(&mut self.threads));
        let file = self.instance.folder.join("trace");
        let read = |source| TraceError::Read {
            file: file.clone(),
            source,
        };
        let mut trace = BufReader::new(File::open(&file).map_err(read)?);
        // Names of threads are bytes, not always UTF-8.
        let mut line = Vec::new();
        while trace.read_until(b'\n', &mut line).map_err(read)? > 0 {
            attribution.read(&String::from_utf8_lossy(&line));
            line.clear();
        }
        Ok(attribution.finish())
    }
}

/// The share of one of `cpus` CPUs of the room for events.
fn buffer_kib(cpus: usize) -> u64 {
    let cpus = u64::try_from(cpus).unwrap_or(u64::MAX).max(1);
    (BUFFER_KIB / cpus).clamp(LEAST_BUFFER_KIB, BUFFER_OF_A_CPU_KIB)
}

/// A trace buffer with settings of its own.
#[derive(Debug)]
struct Instance {
    folder: PathBuf,
}

impl Instance {
    fn create(tracefs: &Path) -> Result<Self, TraceError> {
        let folder = tracefs.join(format!("instances/cede-{}", std::process::id()));
        match fs::create_dir(&folder) {
            Ok(()) => Ok(Self { folder }),
            Err(source) => Err(TraceError::Tracefs { folder, source }),
        }
    }

    fn set(&self, name: &str, value: &str) -> Result<(), TraceError> {
        let file = self.folder.join(name);
        fs::write(&file, value).map_err(|source| TraceError::Setting {
            file,
            value: value.to_owned(),
            source,
        })
    }

    /// Whether the kernel has the event `name`, which is recorded then.
    fn enable(&self, name: &str) -> Result<bool, TraceError> {
        let name = format!("events/{name}/enable");
        if !self.folder.join(&name).exists() {
            return Ok(false);
        }
        self.set(&name, "1")?;
        Ok(true)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // The kernel removes the files in it by itself. If it does not, a buffer stays until the next boot, and nobody is
        // left to tell.
        let _kept = fs::remove_dir(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_tracefs_the_error_says_what_is_missing() {
        let message = Instance::create(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(
            message.contains("/nowhere/instances/cede-") && message.contains("mounted tracefs"),
            "{message}"
        );
    }

    #[test]
    fn many_cpus_share_the_room_for_events() {
        assert_eq!(buffer_kib(0), BUFFER_OF_A_CPU_KIB);
        assert_eq!(buffer_kib(1), 64 * 1024);
        assert_eq!(buffer_kib(16), 16 * 1024);
        assert_eq!(buffer_kib(4096), LEAST_BUFFER_KIB);
    }
}
