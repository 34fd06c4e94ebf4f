mod matrix;
mod rounds;

use std::path::PathBuf;

use clap::Args;
use scenario::{Auto, Scenario};
use testbed::native::{self, CpuList, CpuSplit, Native};

use self::matrix::MatrixArgs;
use crate::{
    args::{self, ScenarioArgs},
    failure::Failure,
    interrupt, output,
    progress::Progress,
};

#[derive(Debug, Args)]
#[command(after_long_help = args::keys_help(), args_override_self = true)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    matrix: MatrixArgs,
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Where to run: native, on this host
    #[arg(long, value_name = "BACKEND", default_value = "native")]
    backend: String,
    /// Rounds; each runs every cell once, in turn
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// Write the result as JSON; - is standard output, and then nothing else is printed there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the result as one HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Say nothing about progress
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn run(args: &CompareArgs) -> Result<(), Failure> {
    if args.backend != "native" {
        return Err(Failure::usage(format!(
            "unknown backend `{}`; expected one of: native",
            args.backend
        )));
    }
    let mut scenario = args.scenario.read(Scenario::default())?;
    let cells = args.matrix.cells()?;
    let available = CpuList::available().map_err(Failure::run)?;
    let split = CpuSplit::new(&available, &scenario).map_err(Failure::usage)?;
    // A result says what it was made with, not that it was derived.
    scenario.cpus = Auto::Given(split.cpus());
    scenario.connections = Auto::Given(split.connections(&scenario));
    if !split.shared {
        scenario.client_cpus = Auto::Given(split.client_cpus());
    }
    for file in args.json.iter().chain(&args.html) {
        output::check_writable(file)?;
    }
    let program = std::env::current_exe().map_err(Failure::run)?;
    let backend = Native {
        program,
        split,
        client_priority: None,
    };
    backend
        .check(&scenario, cells.iter().map(|cell| cell.variant))
        .map_err(Failure::usage)?;

    let interrupted = interrupt::flag().map_err(Failure::run)?;
    let progress = Progress::new(args.quiet);
    progress.step("looking at this host's kernel");
    let host = native::host();
    let (comparison, failed) = rounds::run(
        &backend,
        &host,
        &scenario,
        &cells,
        args.repeat,
        &interrupted,
        progress,
    );
    progress.end();

    let report = comparison.report();
    if let Some(file) = &args.html {
        output::write(file, &report.html())?;
    }
    output::write_json_or(args.json.as_deref(), &report, || {
        print!("{}", report.table(terminal_width()));
    })?;
    failed.map_or(Ok(()), Err)
}

/// The terminal's width; none where the output is no terminal.
fn terminal_width() -> Option<u16> {
    rustix::termios::tcgetwinsize(std::io::stdout())
        .ok()
        .map(|size| size.ws_col)
        .filter(|&width| width > 0)
}
