mod quick;
mod spin;

use std::path::PathBuf;

use clap::Args;
use scenario::Host;
use testbed::native;

use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Only look at what a server with `cede` in it looks at when it starts, for 20 ms at most
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    how: quick::QuickArgs,
    /// Let threads wait for each other in loops of yields, and compare with `sched_yield` and a futex
    #[arg(long, conflicts_with = "quick")]
    spin: bool,
    #[command(flatten)]
    spins: spin::SpinArgs,
}

pub(crate) fn run(args: &ProbeArgs) -> Result<(), Failure> {
    if let Some(file) = &args.json {
        output::check_writable(file)?;
    }
    if args.quick {
        return quick::run(&args.how, args.json.as_deref());
    }
    if args.spin {
        return spin::run(&args.spins, args.json.as_deref());
    }
    let host = native::host();
    output::write_json_or(args.json.as_deref(), &host, || describe(&host))
}

fn describe(host: &Host) -> String {
    let unknown = || "not readable".to_owned();
    let rows = [
        ("kernel", format!("{} ({})", host.kernel, host.release)),
        (
            "era",
            format!(
                "{} (the version alone suggests {})",
                host.era, host.era_by_version
            ),
        ),
        ("evidence", host.era_evidence.clone()),
        (
            "yield beside a busy thread",
            host.yield_cost_us
                .map_or_else(unknown, |us| format!("{us:.1} us on average")),
        ),
        (
            "base slice",
            host.base_slice_us
                .map_or_else(unknown, |us| format!("{us:.0} us")),
        ),
        (
            "custom slices",
            if host.custom_slice {
                "honoured"
            } else {
                "not honoured"
            }
            .to_owned(),
        ),
        ("CPUs", format!("{} of {}", host.cpus, host.cpu_model)),
        ("HZ", host.hz.map_or_else(unknown, |hz| hz.to_string())),
        ("preemption", host.preemption.clone()),
    ];
    rows.map(|(name, value)| format!("{name:28}{value}\n")).concat()
}
