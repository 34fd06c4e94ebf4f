use std::{path::PathBuf, sync::atomic::Ordering, time::Duration};

use clap::Args;
use scenario::{Placement, PolicyChoice, Scenario, Variant};
use testbed::server::{Server, ServerPlan};

use crate::{
    args::{self, PlaceArgs, ScenarioArgs},
    failure::Failure,
    interrupt, output,
};

#[derive(Debug, Args)]
#[command(after_long_help = args::keys_help(), args_override_self = true)]
pub(crate) struct ServeArgs {
    /// Port on loopback; 0 for any free one
    #[arg(long, value_name = "P", default_value_t = 27017)]
    port: u16,
    /// Folder of a durable engine (fjall, wiredtiger); a temporary one unless given
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Way to give up the CPU
    #[arg(long, value_name = "VARIANT", default_value = "baseline")]
    variant: String,
    /// Policy at the yield points, instead of the variant's
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,
    /// Yield points in use, instead of the variant's
    #[arg(long, value_name = "PLACEMENT")]
    placement: Option<String>,
    #[command(flatten)]
    scenario: ScenarioArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

/// How often the main thread looks whether to end.
const LOOK: Duration = Duration::from_millis(50);

pub(crate) fn run(args: ServeArgs) -> Result<(), Failure> {
    let variant: Variant = args.variant.parse().map_err(Failure::usage)?;
    let policy: Option<PolicyChoice> = args
        .policy
        .map(|name| name.parse())
        .transpose()
        .map_err(Failure::usage)?;
    let placement: Option<Placement> = args
        .placement
        .map(|name| name.parse())
        .transpose()
        .map_err(Failure::usage)?;
    let plan = ServerPlan {
        scenario: args.scenario.read(Scenario::default())?,
        policy: policy.unwrap_or(variant.policy()),
        placement: placement.unwrap_or(variant.placement()),
        port: args.port,
        folder: args.data,
    };
    args.place.apply()?;
    let interrupted = interrupt::flag().map_err(Failure::run)?;
    let server = Server::start(&plan, |line| output::tell(line)).map_err(Failure::run)?;
    output::print(&format!("{plan}: listening on {}\n", server.address()))?;
    while !interrupted.load(Ordering::SeqCst) {
        std::thread::sleep(LOOK);
    }
    Ok(())
}
