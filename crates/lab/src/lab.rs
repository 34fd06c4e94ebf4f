use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::Duration,
};

use scenario::{Auto, Backend, GoldenProbe, Outcome, Run, Scenario};
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::{
    Clock, Extras, Guest, Initramfs, MachineError, Measured, Printed, Program, ProgramError,
    digest::sha256,
    frame::Frame,
    kernels::Kernel,
    machine::{Limits, Machine},
    order::{Order, RunOrder},
    qemu::Qemu,
    records,
};

/// Runs scenarios on kernels, each in a machine of its own.
#[derive(Clone, Debug)]
pub struct Lab {
    /// QEMU.
    pub qemu: Qemu,
    /// What time is.
    pub clock: Clock,
    /// The program that is the guest's first process, and both halves of the native backend in it.
    pub program: Program,
    /// Real time that a kernel gets to start its first process.
    pub boot_limit: Duration,
}

/// What a cell came to.
#[derive(Clone, Debug)]
pub struct CellOutcome {
    /// The kernel that ran.
    pub guest: Guest,
    /// What was measured, with its digest: SHA-256 of the kernel's name, the order, everything that client and server
    /// counted, and what a trace came to.
    pub outcome: Outcome,
    /// What `sched_yield` was seen to do, if that was asked for.
    pub era: Option<String>,
}

/// Why a cell has no outcome.
#[derive(Debug, Error)]
pub enum LabError {
    /// The machine.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The program cannot be packed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A file of the record cannot be written.
    #[error("cannot write {}: {source}", file.display())]
    Record {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The scenario wants more virtual CPUs than a machine gets.
    #[error("cpus and client_cpus are {cpus} together: expected at most {MOST_CPUS} in the lab")]
    Cpus {
        /// What it wants.
        cpus: u32,
    },
    /// Two boots of one cell were not the same.
    #[error("two boots have different digests, {first} and {again}")]
    Differs {
        /// Digest of the first.
        first: String,
        /// Digest of the second.
        again: String,
    },
    /// The guest has left something out, or said it in another way than this program does.
    #[error("the guest's report has no readable `{0}`")]
    Report(&'static str),
}

/// Real time for each second of a guest's: some five seconds on one core where the guest is busy throughout, and a host
/// may have other things to do.
const REAL_PER_VIRTUAL: f64 = 60.0;
/// Virtual time for the load phase and the end.
const OVERHEAD_S: f64 = 3.0;
/// Virtual time to set up a trace; half a second was seen.
const TRACE_S: f64 = 2.0;
/// Virtual time to read a trace, for each second of it: a few us for each of some 100,000 events.
const TRACE_READING: f64 = 5.0;

/// Real time for a boot: some ten times what it takes on one quiet core.
pub const BOOT_LIMIT: Duration = Duration::from_secs(120);

/// Virtual time that a program gets.
const PROGRAM_S: f64 = 10.0;

/// Rows of the golden probes, with what they take to begin.
const PROBE_ROWS: f64 = 15.0;

/// Virtual time after which a kernel has done what it does after boot, seen on every kernel of the list.
const SETTLE_S: f64 = 5.0;

/// Most virtual CPUs, the client's included: eight times those of the original evaluation. QEMU's machine has 255 at most, and
/// with all of them busy each runs at that fraction of its speed.
const MOST_CPUS: u32 = 64;

/// Connections for each CPU, as in the original evaluation, where a scenario does not say.
const CONNECTIONS_PER_CPU: u32 = 16;

impl Lab {
    /// Fills in what `scenario` leaves open.
    #[must_use]
    pub fn complete(scenario: &Scenario) -> Scenario {
        let cpus = server_cpus(scenario);
        let connections = scenario
            .connections
            .unwrap_or_else(|| cpus.saturating_mul(CONNECTIONS_PER_CPU));
        Scenario {
            cpus: Auto::Given(cpus),
            connections: Auto::Given(connections),
            ..scenario.clone()
        }
    }

    /// Finds what would make every run of `scenario` fail.
    ///
    /// # Errors
    /// If it wants more CPUs than a machine has.
    pub fn check(scenario: &Scenario) -> Result<(), LabError> {
        let cpus = all_cpus(scenario);
        if cpus > MOST_CPUS {
            return Err(LabError::Cpus { cpus });
        }
        Ok(())
    }

    /// Runs one cell on `kernel` and keeps its record in `folder`; `trace` records scheduler events during the measured part.
    ///
    /// # Errors
    /// Says why there is no outcome; what the guest has said until then is in `folder`.
    pub fn run(
        &self,
        kernel: &Kernel,
        run: &Run,
        trace: bool,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<CellOutcome, LabError> {
        let scenario = Self::complete(&run.scenario);
        let cpus = all_cpus(&scenario);
        let extras = Extras {
            trace,
            era: kernel.era.is_none(),
        };
        let trace_s = if trace {
            TRACE_S + scenario.seconds * TRACE_READING
        } else {
            0.0
        };
        let virtual_s = scenario.settle_s + scenario.warmup_s + scenario.seconds + trace_s;
        let run = Run {
            scenario: stretch(scenario, self.clock, cpus),
            ..run.clone()
        };
        let order = Order::Run(RunOrder::new(&run, extras, self.clock));
        let limit = real(virtual_s);
        let frames = self.boot(&kernel.image, cpus, &order, limit, folder, stop)?;
        let guest: Guest = read(&frames, "guest")?;
        let Measured {
            mut outcome,
            raw,
            era,
        } = read(&frames, "run")?;
        record(folder, records::RAW, raw.as_bytes())?;
        let order = serde_json::to_string(&order).unwrap_or_default();
        let mut traced = String::new();
        if let Some(off_cpu) = &outcome.off_cpu {
            traced = serde_json::to_string(off_cpu).unwrap_or_default();
            record(folder, records::OFF_CPU, traced.as_bytes())?;
        }
        outcome.digest = self
            .clock
            .is_deterministic()
            .then(|| sha256(format!("{}\n{order}\n{raw}{traced}", guest.release).as_bytes()));
        outcome.notes.push(self.describe(cpus));
        if run
            .variant
            .base_slice_us()
            .or(run.scenario.base_slice_us.given())
            .is_none()
        {
            outcome.notes.push(guest.describe());
        }
        if run.scenario.settle_s < SETTLE_S {
            outcome.notes.push(format!(
                "settled for {} s: up to {SETTLE_S} s the kernel's own threads of the boot run beside the server",
                run.scenario.settle_s
            ));
        }
        Ok(CellOutcome { guest, outcome, era })
    }

    /// Runs the golden probes on the kernel `image`, each of their rows for `seconds`, and keeps the record in `folder`.
    ///
    /// # Errors
    /// Says why there is no result; what the guest has said until then is in `folder`.
    pub fn probe(
        &self,
        image: &Path,
        seconds: f64,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<GoldenProbe, LabError> {
        let order = Order::Probe {
            seconds,
            clock: self.clock,
        };
        let limit = real(seconds * PROBE_ROWS);
        let frames = self.boot(image, 1, &order, limit, folder, stop)?;
        read(&frames, "probe")
    }

    /// Runs this program with `args` on the kernel `image`, and keeps the record in
    /// `folder`. The scheduler's tunables are those of 8 CPUs if `pinned`, and else the kernel's own.
    ///
    /// # Errors
    /// Says why nothing was printed; how the program itself has ended is in the result.
    pub fn program(
        &self,
        image: &Path,
        (cpus, pinned): (u32, bool),
        args: &[String],
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<Printed, LabError> {
        let order = Order::Program {
            args: args.to_vec(),
            pinned,
        };
        let frames = self.boot(image, cpus, &order, real(PROGRAM_S), folder, stop)?;
        read(&frames, "program")
    }

    /// Boots the kernel `image` and lets its guest do nothing, to see whether the clock works here.
    ///
    /// # Errors
    /// If it does not come up and end within the time that it takes the slowest machine.
    pub fn try_boot(&self, image: &Path, folder: &Path, stop: &AtomicBool) -> Result<Guest, LabError> {
        let frames = self.boot(image, 1, &Order::Nothing, real(0.0), folder, stop)?;
        read(&frames, "guest")
    }

    /// Boots the kernel `image` with `cpus` CPUs and a shell, with this process's terminal as its console. `programs` are
    /// packed in beside the shell, by their names.
    ///
    /// # Errors
    /// If the machine cannot be started.
    pub fn shell(
        &self,
        image: &Path,
        cpus: u32,
        programs: &[(String, Program)],
        folder: &Path,
    ) -> Result<(), LabError> {
        let mut archive = Initramfs::default();
        for (name, program) in programs {
            program.pack(&format!("/bin/{name}"), &mut archive)?;
        }
        let initramfs = self.pack(archive, &Order::Shell, folder)?;
        let machine = Machine {
            clock: self.clock,
            kernel: image,
            initramfs: &initramfs,
            cpus,
            folder,
            limits: Limits {
                boot: Duration::MAX,
                whole: Duration::MAX,
            },
        };
        let ended = machine.interact(self.qemu.command());
        let _left_behind = fs::remove_file(&initramfs);
        Ok(ended?)
    }

    fn boot(
        &self,
        kernel: &Path,
        cpus: u32,
        order: &Order,
        limit: Duration,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<Vec<Frame>, LabError> {
        let initramfs = self.pack(Initramfs::default(), order, folder)?;
        let machine = Machine {
            clock: self.clock,
            kernel,
            initramfs: &initramfs,
            cpus,
            folder,
            limits: Limits {
                boot: self.boot_limit,
                whole: self.boot_limit + limit,
            },
        };
        let frames = machine.run(self.qemu.command(), stop);
        let _left_behind = fs::remove_file(&initramfs);
        Ok(frames?)
    }

    /// Writes the guest's file system, with this program and `order` in it, beside what `archive` holds.
    fn pack(&self, mut archive: Initramfs, order: &Order, folder: &Path) -> Result<PathBuf, LabError> {
        let order = serde_json::to_vec(order).unwrap_or_default();
        record(folder, records::ORDER, &order)?;
        self.program.pack("/init", &mut archive)?;
        archive.file(Order::PATH, &order);
        record(folder, records::INITRAMFS, &archive.finish()).inspect_err(|_| {
            // Half of it is of no use, and takes the room that is missing.
            let _left_behind = fs::remove_file(folder.join(records::INITRAMFS));
        })
    }

    /// One sentence about what time is.
    fn describe(&self, cpus: u32) -> String {
        match (self.clock, cpus) {
            (Clock::Instructions, 1) => {
                "virtual time, an instruction takes 1 ns: compare cells, and do not read times as those of hardware"
                    .to_owned()
            }
            (Clock::Instructions, cpus) => format!(
                "virtual time, an instruction takes 1 ns, shared by {cpus} CPUs: each runs at 1/{cpus} of that while all are \
                 busy, and pauses are {cpus} times as long"
            ),
            (clock, _) => format!("real time ({clock}): not the same twice"),
        }
    }
}

/// Writes one file of a run's record, which is created if need be.
fn record(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, LabError> {
    let file = folder.join(name);
    match fs::create_dir_all(folder).and_then(|()| fs::write(&file, bytes)) {
        Ok(()) => Ok(file),
        Err(source) => Err(LabError::Record { file, source }),
    }
}

/// Real time that a guest gets for `virtual_s` beside its boot.
fn real(virtual_s: f64) -> Duration {
    Duration::from_secs_f64((virtual_s + OVERHEAD_S) * REAL_PER_VIRTUAL)
}

/// Virtual CPUs take turns at the instruction clock: of `cpus` that are busy, each runs at that fraction of its speed.
/// The work of an operation is a number of instructions, and takes that much longer by itself; pauses have to be told.
fn stretch(scenario: Scenario, clock: Clock, cpus: u32) -> Scenario {
    if !clock.is_deterministic() {
        return scenario;
    }
    let cpus = u64::from(cpus.max(1));
    Scenario {
        think_us: scenario.think_us.saturating_mul(cpus),
        patrol_sleep_us: scenario.patrol_sleep_us.saturating_mul(cpus),
        rate_ops: scenario.rate_ops.div_ceil(cpus),
        ..scenario
    }
}

/// Virtual CPUs of the machine.
fn all_cpus(scenario: &Scenario) -> u32 {
    server_cpus(scenario).saturating_add(scenario.client_cpus.unwrap_or_else(|| 0))
}

fn server_cpus(scenario: &Scenario) -> u32 {
    scenario
        .cpus
        .given()
        .or(Backend::Lab.scenario().cpus.given())
        .unwrap_or(1)
}

fn read<T: DeserializeOwned>(frames: &[Frame], kind: &'static str) -> Result<T, LabError> {
    frames
        .iter()
        .find(|frame| frame.kind == kind)
        .and_then(|frame| serde_json::from_slice(&frame.payload).ok())
        .ok_or(LabError::Report(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_open_follows_the_cpus() {
        let mut scenario = Backend::Lab.scenario();
        assert_eq!(
            Lab::complete(&scenario),
            Scenario {
                connections: Auto::Given(16),
                ..scenario.clone()
            }
        );
        scenario.cpus = Auto::Given(8);
        assert_eq!(Lab::complete(&scenario).connections, Auto::Given(128));
        scenario.connections = Auto::Given(3);
        assert_eq!(Lab::complete(&scenario).connections, Auto::Given(3));
    }

    #[test]
    fn pauses_and_rates_keep_step_with_cpus_that_take_turns() {
        let scenario = Scenario {
            rate_ops: 1001,
            ..Backend::Lab.scenario()
        };
        let times = |clock, cpus| {
            let stretched = stretch(scenario.clone(), clock, cpus);
            (stretched.think_us, stretched.patrol_sleep_us, stretched.rate_ops)
        };
        assert_eq!(times(Clock::Instructions, 1), (100, 6000, 1001));
        assert_eq!(times(Clock::Instructions, 8), (800, 48_000, 126));
        assert_eq!(times(Clock::Kvm, 8), (100, 6000, 1001));
    }
}
