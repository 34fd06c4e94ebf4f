use clap::Args;
use lab::{Cache, Lab, records};
use report::{CellId, Comparison};
use scenario::{Backend, Run, Variant, Workload};
use testbed::native;

use super::{LabArgs, check_clock, console};
use crate::{
    args::{self, ScenarioArgs},
    failure::Failure,
    interrupt, output,
    progress::Progress,
};

#[derive(Debug, Args)]
#[command(after_long_help = args::keys_help(), args_override_self = true)]
pub(crate) struct RunArgs {
    /// Kernel: a version, an era, or the path of a vmlinuz
    #[arg(long, value_name = "KERNEL")]
    kernel: String,
    /// Mix of operations
    #[arg(long, value_name = "WORKLOAD", default_value = "ycsb_50read50update")]
    workload: String,
    /// Way to give up the CPU
    #[arg(long, value_name = "VARIANT", default_value = "baseline")]
    variant: String,
    /// Record where connection threads are while they are off the CPU, and why; its cost is in all numbers
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    lab: LabArgs,
    #[command(flatten)]
    scenario: ScenarioArgs,
}

pub(crate) fn run(args: &RunArgs, cache: &Cache) -> Result<(), Failure> {
    let workload: Workload = args.workload.parse().map_err(Failure::usage)?;
    let variant: Variant = args.variant.parse().map_err(Failure::usage)?;
    let scenario = Lab::complete(&args.scenario.read(Backend::Lab.scenario())?);
    Lab::check(&scenario).map_err(Failure::usage)?;
    let progress = Progress::new(false);
    let lab = args.lab.lab(cache)?;
    let kernel = args.lab.kernel(cache, &args.kernel, progress)?;
    let interrupted = interrupt::flag().map_err(Failure::run)?;
    let folder = records::new_folder(cache).map_err(Failure::run)?;
    check_clock(&lab, &kernel, &folder, &interrupted)?;
    let run = Run {
        scenario: scenario.clone(),
        workload,
        variant,
    };
    let outcome = console::shown(&folder.join(records::CONSOLE), || {
        lab.run(&kernel, &run, args.trace, &folder, &interrupted)
    })
    .map_err(Failure::run)?;
    let id = CellId {
        backend: Backend::Lab,
        kernel: kernel.version,
        release: outcome.guest.release,
        era: kernel.era.or(outcome.era).unwrap_or_default(),
        workload,
        variant,
    };
    let mut comparison = Comparison::new(native::host(), scenario, vec![id]);
    let digest = outcome.outcome.digest.clone().unwrap_or_default();
    comparison.add(0, outcome.outcome);
    output::print(&format!(
        "{}Digest: {digest}\nRecord: {}\n",
        comparison.report().table(None),
        folder.display()
    ))
}
