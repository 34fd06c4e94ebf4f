//! The spin-wait probe.

use std::path::Path;

use clap::Args;
use report::spin_table;
use testbed::{
    native,
    spin::{self, SpinPlan},
};

use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(super) struct SpinArgs {
    /// With --spin: how often the threads of each row wait for each other
    #[arg(long, value_name = "N", default_value_t = SpinPlan::default().passes, requires = "spin", value_parser = clap::value_parser!(u64).range(1..))]
    passes: u64,
    /// With --spin: a row ends after so many seconds, also with fewer passes
    #[arg(long, value_name = "S", default_value_t = SpinPlan::default().limit_s, requires = "spin")]
    limit: f64,
}

pub(super) fn run(args: &SpinArgs, json: Option<&Path>) -> Result<(), Failure> {
    let plan = SpinPlan {
        passes: args.passes,
        limit_s: args.limit,
    };
    let probe = spin::run(&plan, native::host()).map_err(Failure::run)?;
    output::write_json_or(json, &probe, || spin_table(&probe))
}
