mod lab;
mod matrix;
mod native;
mod rounds;

use std::path::{Path, PathBuf};

use clap::Args;
use report::Comparison;
use scenario::Backend;

use self::{lab::KernelArgs, matrix::MatrixArgs};
use crate::{
    args::{self, ScenarioArgs},
    failure::Failure,
    interrupt, output,
    progress::Progress,
};

/// Rounds in real time where nothing else is said: enough for an interval.
const ROUNDS: u32 = 3;

#[derive(Debug, Args)]
#[command(after_long_help = args::keys_help(), args_override_self = true)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    matrix: MatrixArgs,
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Where to run: native, on this host; lab, on real kernels in virtual machines
    #[arg(long, value_name = "BACKEND", default_value = "native")]
    backend: String,
    #[command(flatten)]
    kernels: KernelArgs,
    /// Rounds; each runs every cell once, in turn, with a seed of its own; 3 unless given, in virtual time 1
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: Option<u32>,
    /// Record where connection threads are while they are off the CPU, and why; natively that takes root, and its cost is in
    /// all numbers of the comparison
    #[arg(long)]
    trace: bool,
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
    let backend: Backend = args.backend.parse().map_err(Failure::usage)?;
    if backend == Backend::Native && args.kernels.is_given() {
        return Err(Failure::usage(
            "--kernel, --clock, --verify, --jobs, --boot-limit and --debian-mirror are the lab's: expected --backend lab beside them",
        ));
    }
    if args.html.as_deref() == Some(Path::new("-")) {
        return Err(Failure::usage(
            "--html -: expected a file; standard output is for the table or, with --json -, for JSON",
        ));
    }
    let scenario = args.scenario.read(backend.scenario())?;
    let cells = args.matrix.cells()?;
    for file in args.json.iter().chain(&args.html) {
        output::check_writable(file)?;
    }
    let interrupted = interrupt::flag().map_err(Failure::run)?;
    let progress = Progress::new(args.quiet);
    let (comparison, failed) = match backend {
        Backend::Native => {
            let repeat = args.repeat.unwrap_or(ROUNDS);
            native::run(scenario, &cells, repeat, args.trace, &interrupted, progress)
        }
        Backend::Lab => args
            .kernels
            .run(&scenario, &cells, args.repeat, args.trace, &interrupted, progress),
    }?;
    progress.end();

    let report = comparison.report();
    // The table first, and each whatever becomes of the others: what took minutes to measure is not to be lost because
    // a disk is full.
    let told = output::write_json_or(args.json.as_deref(), &report, || report.table(terminal_width()));
    let page = match &args.html {
        Some(file) => output::write(file, &report.html()),
        None => Ok(()),
    };
    told.and(page).and(failed.map_or(Ok(()), Err))
}

/// Why a comparison is not whole, if it is not: it was interrupted, or `failed` of its parts, `of`, did.
fn ending(comparison: &mut Comparison, interrupted: bool, failed: usize, of: &str) -> Option<Failure> {
    if interrupted {
        comparison.mark_partial("interrupted".to_owned());
        return Some(Failure::run("interrupted: the result is partial"));
    }
    (failed > 0).then(|| Failure::run(format!("{failed} of {of} failed: the result is partial")))
}

/// The terminal's width; none where the output is no terminal.
fn terminal_width() -> Option<u16> {
    rustix::termios::tcgetwinsize(std::io::stdout())
        .ok()
        .map(|size| size.ws_col)
        .filter(|&width| width > 0)
}
