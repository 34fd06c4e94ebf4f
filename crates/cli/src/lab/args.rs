use clap::Args;
use lab::{
    Cache, Clock, Lab, Program,
    kernels::{self, Fetch, Kernel},
    qemu::Qemu,
};

use crate::{failure::Failure, progress::Progress};

/// What every command needs that boots kernels.
#[derive(Debug, Args)]
pub(crate) struct LabArgs {
    /// What time is in the guest: instructions, the same on every host; kvm or tcg, real
    #[arg(long, value_name = "CLOCK")]
    clock: Option<String>,
    /// Debian's mirror, for kernels that have to be fetched; this machine's unless given
    #[arg(long, value_name = "URL")]
    debian_mirror: Option<String>,
}

impl LabArgs {
    /// Whether any of them is given.
    pub(crate) fn is_given(&self) -> bool {
        self.clock.is_some() || self.debian_mirror.is_some()
    }

    /// The lab, with this program to run in its guests.
    pub(crate) fn lab(&self, cache: &Cache) -> Result<Lab, Failure> {
        let clock = match &self.clock {
            Some(name) => name.parse().map_err(Failure::usage)?,
            None => Clock::default(),
        };
        let program = std::env::current_exe().map_err(Failure::run)?;
        Ok(Lab {
            qemu: Qemu::find(cache)?,
            clock,
            program: Program::new(&program).map_err(Failure::run)?,
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
            let kernel = kernels::find(
                cache,
                name,
                Fetch::IfMissing {
                    mirror: self.debian_mirror.clone(),
                    progress: &mut |line| progress.step(line),
                },
            )?;
            if !found.iter().any(|other| other.image == kernel.image) {
                found.push(kernel);
            }
        }
        Ok(found)
    }
}
