use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use clap::Args;
use lab::{
    Cache, Clock, Lab, LabError, MachineError, Program,
    kernels::{self, Fetch, Kernel},
    qemu::Qemu,
};

use crate::{failure::Failure, progress::Progress};

/// Time for a kernel to start with hardware's help. It takes one or two seconds.
const KVM_BOOT_LIMIT: Duration = Duration::from_secs(30);

/// What every command needs that boots kernels.
#[derive(Debug, Args)]
pub(crate) struct LabArgs {
    /// What time is in the guest: instructions, the same on every host; kvm or tcg, real
    #[arg(long, value_name = "CLOCK")]
    clock: Option<String>,
    /// Guests at a time; as many as there are CPUs unless given. Real time is shared, so there it is always one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Seconds of real time that a kernel gets to start its first process
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    boot_limit: Option<u64>,
    /// Debian's mirror, for kernels that have to be fetched; this machine's unless given
    #[arg(long, value_name = "URL")]
    debian_mirror: Option<String>,
}

impl LabArgs {
    /// The clock that is asked for, or else `default`.
    pub(crate) fn clock_or(&self, default: Clock) -> Result<Clock, Failure> {
        self.clock
            .as_deref()
            .map_or(Ok(default), |name| name.parse().map_err(Failure::usage))
    }

    /// Whether any of them is given.
    pub(crate) fn is_given(&self) -> bool {
        self.clock.is_some()
            || self.boot_limit.is_some()
            || self.jobs.is_some()
            || self.debian_mirror.is_some()
    }

    /// The lab, with this program to run in its guests.
    pub(crate) fn lab(&self, cache: &Cache) -> Result<Lab, Failure> {
        let clock = self.clock_or(Clock::default())?;
        let program = std::env::current_exe().map_err(Failure::run)?;
        Ok(Lab {
            qemu: Qemu::find(cache)?,
            clock,
            program: Program::new(&program).map_err(Failure::run)?,
            boot_limit: self.boot_limit.map_or(lab::BOOT_LIMIT, Duration::from_secs),
        })
    }

    /// The kernels named, each once; those that are not in the cache are fetched.
    pub(crate) fn kernels(
        &self,
        cache: &Cache,
        names: &[String],
        progress: Progress,
    ) -> Result<Vec<Kernel>, Failure> {
        // What cannot be is refused before anything is fetched.
        for name in names {
            kernels::check(name)?;
        }
        let mut found: Vec<Kernel> = Vec::new();
        for name in names {
            let kernel = self.kernel(cache, name, progress)?;
            if !found.iter().any(|other| other.image == kernel.image) {
                found.push(kernel);
            }
        }
        Ok(found)
    }

    /// The kernel named, fetched unless it is in the cache.
    pub(crate) fn kernel(&self, cache: &Cache, name: &str, progress: Progress) -> Result<Kernel, Failure> {
        let fetch = Fetch::IfMissing {
            mirror: self.debian_mirror.clone(),
            progress: &mut |line| progress.step(line),
        };
        Ok(kernels::find(cache, name, fetch)?)
    }

    /// Does `work` on each item, several at a time if `lab`'s clock allows it, and gives the results in the items' order.
    pub(crate) fn each<T: Sync, R: Send>(
        &self,
        lab: &Lab,
        items: &[T],
        work: impl Fn(&T) -> R + Sync,
    ) -> Vec<R> {
        // Real time is shared with whatever runs at the same time; virtual time is not.
        let at_once = if lab.clock.is_deterministic() {
            self.jobs.map_or_else(
                || thread::available_parallelism().map_or(1, usize::from),
                usize::from,
            )
        } else {
            1
        };
        let next = AtomicUsize::new(0);
        let results = Mutex::new(BTreeMap::new());
        thread::scope(|scope| {
            for _ in 0..at_once.min(items.len()) {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(at) else { return };
                        let result = work(item);
                        results
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .insert(at, result);
                    }
                });
            }
        });
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_values().collect()
    }
}

/// Finds out with a short boot whether a clock that hangs on the machine works at all: `/dev/kvm` may be there and be
/// of no use.
pub(crate) fn check_clock(
    lab: &Lab,
    kernel: &Kernel,
    folder: &Path,
    interrupted: &AtomicBool,
) -> Result<(), Failure> {
    if lab.clock != Clock::Kvm {
        return Ok(());
    }
    let quick = Lab {
        boot_limit: lab.boot_limit.min(KVM_BOOT_LIMIT),
        ..lab.clone()
    };
    match quick.try_boot(&kernel.image, &folder.join("kvm"), interrupted) {
        Ok(_) => Ok(()),
        Err(error @ LabError::Machine(MachineError::Interrupted)) => Err(Failure::run(error)),
        Err(error) => Err(Failure::run(format!(
            "--clock kvm does not work here; expected a usable /dev/kvm, or --clock instructions or tcg: {error}"
        ))),
    }
}
