use clap::Args;
use lab::{
    Cache,
    kernels::{self, Fetch, Kernel},
    qemu::{Qemu, QemuError},
};

use super::list;
use crate::{failure::Failure, output, progress::Progress};

#[derive(Debug, Args)]
#[command(
    after_help = "Without arguments: the kernels of the standard comparison, and QEMU unless there is one.\n\
                  The cache is the folder CEDE_CACHE, or else cede in the user's cache folder; it may be removed."
)]
pub(crate) struct FetchArgs {
    /// Kernels: names from `cede lab list`, eras, or versions such as 6.12.101
    #[arg(value_name = "KERNEL")]
    kernels: Vec<String>,
    /// All kernels that `cede lab list` names
    #[arg(long, conflicts_with = "kernels")]
    all: bool,
    /// QEMU, even if this machine has one
    #[arg(long)]
    qemu: bool,
    /// Debian's mirror, a URL that ends in /debian; what this machine's apt uses unless given
    #[arg(long, value_name = "URL")]
    debian_mirror: Option<String>,
    /// Say nothing about progress
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn run(args: &FetchArgs, cache: &Cache) -> Result<(), Failure> {
    let names = names(args);
    for name in &names {
        kernels::check(name)?;
    }
    let progress = Progress::new(args.quiet);
    let result = fetch_all(args, cache, &names, progress);
    // Before the reason of a failure is printed, and after the last step.
    progress.end();
    result
}

fn fetch_all(args: &FetchArgs, cache: &Cache, names: &[&str], progress: Progress) -> Result<(), Failure> {
    for name in names {
        let kernel = kernels::find(
            cache,
            name,
            Fetch::Newest {
                mirror: args.debian_mirror.clone(),
                progress: &mut |line| progress.step(line),
            },
        )?;
        progress.end();
        output::print(&format!("{}\n", describe(&kernel)))?;
    }
    if let Some(qemu) = qemu(args, cache, progress)? {
        progress.end();
        output::print(&format!("{}\n", list::describe(&qemu)))?;
    }
    Ok(())
}

/// The kernels to fetch.
fn names(args: &FetchArgs) -> Vec<&str> {
    if args.all {
        kernels::names().collect()
    } else if args.kernels.is_empty() && !args.qemu {
        kernels::standard().collect()
    } else {
        args.kernels.iter().map(String::as_str).collect()
    }
}

/// QEMU, where it is asked for or goes without saying.
fn qemu(args: &FetchArgs, cache: &Cache, progress: Progress) -> Result<Option<Qemu>, Failure> {
    let goes_without_saying = args.all || args.kernels.is_empty();
    if !args.qemu {
        if !goes_without_saying {
            return Ok(None);
        }
        match Qemu::find(cache) {
            Err(QemuError::Missing { .. }) => {}
            result => return Ok(Some(result?)),
        }
    }
    let mirror = args.debian_mirror.as_deref();
    let qemu = Qemu::fetch(cache, mirror, &mut |line| progress.step(line))?;
    Ok(Some(qemu))
}

fn describe(kernel: &Kernel) -> String {
    let Kernel {
        name, version, image, ..
    } = kernel;
    format!("kernel {name}: {version} ({})", image.display())
}
