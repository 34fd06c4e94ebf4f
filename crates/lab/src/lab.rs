use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::AtomicBool,
    time::Duration,
};

use scenario::{Auto, Outcome, Run, Scenario};
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::{
    Clock, Guest, Initramfs, MachineError, Measured, Program, ProgramError,
    digest::sha256,
    frame::Frame,
    machine::Machine,
    order::{Order, RunOrder},
};

/// Runs scenarios on kernels, each in a machine of its own.
#[derive(Clone, Debug)]
pub struct Lab {
    /// QEMU.
    pub qemu: PathBuf,
    /// What time is.
    pub clock: Clock,
    /// The program that is the guest's first process, and both halves of the native backend in it.
    pub program: Program,
}

/// What a cell came to.
#[derive(Clone, Debug)]
pub struct CellOutcome {
    /// The kernel that ran.
    pub guest: Guest,
    /// What was measured.
    pub outcome: Outcome,
    /// SHA-256 of the kernel's name, the order and everything that client and server counted.
    pub digest: String,
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
    /// The guest has left something out, or said it in another way than this program does.
    #[error("the guest's report has no readable `{0}`")]
    Report(&'static str),
}

/// Virtual CPUs and connections of a run that names none: the original evaluation's 16 for each CPU.
const CPUS: u32 = 1;
const CONNECTIONS_PER_CPU: u32 = 16;

/// Real time for each second of a guest's: some five seconds on one core where the guest is busy throughout, and a host
/// may have other things to do.
const REAL_PER_VIRTUAL: f64 = 60.0;
/// Virtual time for boot, load phase and end.
const OVERHEAD_S: f64 = 5.0;

impl Lab {
    /// The defaults of the lab where they are not those of the native backend.
    #[must_use]
    pub fn scenario() -> Scenario {
        Scenario {
            engine: scenario::Engine::Synthetic,
            // The synthetic engine keeps none, and each costs its way through the wire.
            records: 1000,
            settle_s: 5.0,
            warmup_s: 0.3,
            seconds: 2.0,
            cpus: Auto::Given(CPUS),
            ..Scenario::default()
        }
    }

    /// Fills in what the scenario leaves open.
    #[must_use]
    pub fn complete(scenario: &Scenario) -> Scenario {
        let cpus = scenario.cpus.unwrap_or_else(|| CPUS);
        let connections = scenario
            .connections
            .unwrap_or_else(|| cpus.saturating_mul(CONNECTIONS_PER_CPU));
        Scenario {
            cpus: Auto::Given(cpus),
            connections: Auto::Given(connections),
            ..scenario.clone()
        }
    }

    /// Runs one cell on the kernel `image` and keeps its record in `folder`.
    ///
    /// # Errors
    /// Says why there is no outcome; what the guest has said until then is in `folder`.
    pub fn run(
        &self,
        image: &Path,
        run: &Run,
        trace: bool,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<CellOutcome, LabError> {
        let scenario = Self::complete(&run.scenario);
        let cpus = scenario.cpus.unwrap_or_else(|| CPUS) + scenario.client_cpus.unwrap_or_else(|| 0);
        let virtual_s = scenario.settle_s + scenario.warmup_s + scenario.seconds + OVERHEAD_S;
        let run = Run {
            scenario: stretch(scenario, self.clock, cpus),
            ..run.clone()
        };
        let order = Order::Run(RunOrder::new(&run, trace));
        let limit = Duration::from_secs_f64(virtual_s * REAL_PER_VIRTUAL);
        let frames = self.boot(image, cpus, &order, limit, folder, stop)?;
        let guest: Guest = read(&frames, "guest")?;
        let measured: Measured = read(&frames, "run")?;
        let order = serde_json::to_string(&order).unwrap_or_default();
        Ok(CellOutcome {
            digest: sha256(format!("{}\n{order}\n{}", guest.release, measured.raw).as_bytes()),
            outcome: measured.outcome,
            guest,
        })
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
        let order = serde_json::to_vec(order).unwrap_or_default();
        let mut archive = Initramfs::default();
        self.program.pack("/init", &mut archive)?;
        archive.file(Order::PATH, &order);
        let initramfs = folder.join("initramfs.cpio");
        let write = |file: &Path, bytes: &[u8]| {
            fs::write(file, bytes).map_err(|source| LabError::Record {
                file: file.to_owned(),
                source,
            })
        };
        write(&folder.join("order.json"), &order)?;
        write(&initramfs, &archive.finish())?;
        let machine = Machine {
            clock: self.clock,
            kernel,
            initramfs: &initramfs,
            cpus,
            folder,
            limit,
        };
        let frames = machine.run(Command::new(&self.qemu), stop);
        // It can be made again from the program and the order, and is by far the largest part of the record.
        let _left_behind = fs::remove_file(&initramfs);
        Ok(frames?)
    }
}

/// Virtual CPUs take turns at the instruction clock: of `cpus` that are busy, each runs at that fraction of its speed. The
/// work of an operation is a number of instructions, and takes that much longer by itself; pauses have to be told.
fn stretch(scenario: Scenario, clock: Clock, cpus: u32) -> Scenario {
    if !clock.is_deterministic() {
        return scenario;
    }
    Scenario {
        think_us: scenario.think_us.saturating_mul(u64::from(cpus)),
        patrol_sleep_us: scenario.patrol_sleep_us.saturating_mul(u64::from(cpus)),
        rate_ops: scenario.rate_ops.div_ceil(u64::from(cpus.max(1))),
        ..scenario
    }
}

fn read<T: DeserializeOwned>(frames: &[Frame], kind: &'static str) -> Result<T, LabError> {
    frames
        .iter()
        .find(|frame| frame.kind == kind)
        .and_then(|frame| serde_json::from_slice(&frame.payload).ok())
        .ok_or(LabError::Report(kind))
}
