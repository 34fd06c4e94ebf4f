use std::path::PathBuf;

use clap::Args;
use lab::{Cache, kernels, records};
use report::golden_table;

use super::{LabArgs, check_clock};
use crate::{failure::Failure, interrupt, output, progress::Progress};

#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    /// Kernel: a version, an era, or the path of a vmlinuz; may be given more than once; all that are listed unless given
    #[arg(long, value_name = "KERNEL")]
    kernel: Vec<String>,
    /// Length of each row's measurement, in virtual seconds; there are eleven rows
    #[arg(long, value_name = "S", default_value_t = 0.5)]
    seconds: f64,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Say nothing about progress
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    lab: LabArgs,
}

pub(crate) fn run(args: &ProbeArgs, cache: &Cache) -> Result<(), Failure> {
    if !(0.01..=60.0).contains(&args.seconds) {
        return Err(Failure::usage(format!(
            "--seconds {}: expected a number from 0.01 to 60",
            args.seconds
        )));
    }
    if let Some(file) = &args.json {
        output::check_writable(file)?;
    }
    let progress = Progress::new(args.quiet);
    let names: Vec<String> = if args.kernel.is_empty() {
        kernels::names().map(ToOwned::to_owned).collect()
    } else {
        args.kernel.clone()
    };
    let lab = args.lab.lab(cache)?;
    let kernels = args.lab.kernels(cache, &names, progress)?;
    let interrupted = interrupt::flag().map_err(Failure::run)?;
    let folder = records::new_folder(cache).map_err(Failure::run)?;
    if let Some(kernel) = kernels.first() {
        check_clock(&lab, kernel, &folder, &interrupted)?;
    }
    let results = args.lab.each(&lab, &kernels, |kernel| {
        progress.step(&format!("probing {}", kernel.version));
        let folder = folder.join(&kernel.version);
        lab.probe(&kernel.image, args.seconds, &folder, &interrupted)
    });
    progress.end();
    let mut failed = 0;
    let mut probes = Vec::new();
    for (kernel, result) in kernels.iter().zip(results) {
        match result {
            Ok(mut probe) => {
                // Debian's releases of 6.1 do not tell the upstream version.
                probe.host.kernel.clone_from(&kernel.version);
                probes.push(probe);
            }
            Err(error) => {
                failed += 1;
                output::tell(format!("{}: {error}", kernel.version));
            }
        }
    }
    output::write_json_or(args.json.as_deref(), &probes, || golden_table(&probes))?;
    if failed > 0 {
        let of = kernels.len();
        return Err(Failure::run(format!(
            "{failed} of {of} kernels failed: the result is partial"
        )));
    }
    Ok(())
}
