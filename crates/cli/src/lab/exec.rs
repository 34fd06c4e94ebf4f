use clap::Args;
use lab::{Cache, records};

use super::{LabArgs, check_clock};
use crate::{failure::Failure, interrupt, output, progress::Progress};

#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    /// Kernel: a version, an era, or the path of a vmlinuz
    #[arg(long, value_name = "KERNEL")]
    kernel: String,
    /// Virtual CPUs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    cpus: u32,
    /// Leave the scheduler's tunables as the kernel has them; else they are those of 8 CPUs
    #[arg(long)]
    own_tunables: bool,
    #[command(flatten)]
    lab: LabArgs,
    /// Arguments of cede in the guest, such as: probe --quick
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

pub(crate) fn run(args: &ExecArgs, cache: &Cache) -> Result<(), Failure> {
    let progress = Progress::new(true);
    let lab = args.lab.lab(cache)?;
    let kernel = args.lab.kernel(cache, &args.kernel, progress)?;
    let interrupted = interrupt::flag().map_err(Failure::run)?;
    let folder = records::new_folder(cache).map_err(Failure::run)?;
    check_clock(&lab, &kernel, &folder, &interrupted)?;
    let machine = (args.cpus, !args.own_tunables);
    let printed = lab
        .program(&kernel.image, machine, &args.args, &folder, &interrupted)
        .map_err(Failure::run)?;
    output::print(&printed.stdout)?;
    if printed.success {
        Ok(())
    } else {
        Err(Failure::run(printed.stderr.trim_end()))
    }
}
