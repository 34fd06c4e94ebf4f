use std::path::PathBuf;

use clap::Args;
use lab::{Clock, Lab, Program};
use scenario::{Run, Variant, Workload};

use crate::{
    args::{self, ScenarioArgs},
    failure::Failure,
    interrupt,
};

#[derive(Debug, Args)]
#[command(after_long_help = args::keys_help(), args_override_self = true)]
pub(crate) struct RunArgs {
    /// The kernel
    #[arg(long, value_name = "KERNEL")]
    kernel: PathBuf,
    #[arg(long, value_name = "WORKLOAD", default_value = "ycsb_50read50update")]
    workload: String,
    #[arg(long, value_name = "VARIANT", default_value = "baseline")]
    variant: String,
    #[command(flatten)]
    scenario: ScenarioArgs,
}

pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let workload: Workload = args.workload.parse().map_err(Failure::usage)?;
    let variant: Variant = args.variant.parse().map_err(Failure::usage)?;
    let program = Program::new(&std::env::current_exe().map_err(Failure::run)?).map_err(Failure::run)?;
    let interrupted = interrupt::flag().map_err(Failure::run)?;
    let lab = Lab {
        qemu: std::env::var_os("CEDE_QEMU").unwrap_or_default().into(),
        clock: Clock::Instructions,
        program,
    };
    let run = Run {
        scenario: args.scenario.read(Lab::scenario())?,
        workload,
        variant,
    };
    let folder = std::env::temp_dir().join(format!("lab-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(Failure::run)?;
    let outcome = lab
        .run(&args.kernel, &run, false, &folder, &interrupted)
        .map_err(Failure::run)?;
    println!("{:?} {}", outcome.guest, outcome.digest);
    println!(
        "{}",
        serde_json::to_string(&outcome.outcome)
            .map_err(Failure::run)?
            .split("\"distribution\"")
            .map(|s| s.split_once(']').map_or(s, |x| x.1))
            .collect::<String>()
    );
    Ok(())
}
