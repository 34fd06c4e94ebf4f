use std::io::{IsTerminal, stdin};

use clap::Args;
use lab::{Cache, Clock, Lab, Program, records};

use super::LabArgs;
use crate::{failure::Failure, output, progress::Progress};

#[derive(Debug, Args)]
#[command(
    after_help = "Time is real (--clock tcg) unless said otherwise. Ctrl-A X ends the machine at once; `exit` switches it off."
)]
pub(crate) struct ShellArgs {
    /// Kernel: a version, an era, or the path of a vmlinuz
    #[arg(long, value_name = "KERNEL")]
    kernel: String,
    /// Virtual CPUs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    cpus: u32,
    #[command(flatten)]
    lab: LabArgs,
}

/// Programs of the host that are packed in where it has them. `cede` itself is there as well.
const PROGRAMS: [&str; 24] = [
    "cat", "chrt", "cp", "cut", "dmesg", "echo", "env", "grep", "head", "kill", "less", "ls", "mkdir",
    "mount", "nproc", "ps", "rm", "sed", "sleep", "sort", "tail", "taskset", "top", "uname",
];

pub(crate) fn run(args: &ShellArgs, cache: &Cache) -> Result<(), Failure> {
    if !stdin().is_terminal() {
        return Err(Failure::usage(
            "a shell expects a terminal; for one cell there is `cede lab run`",
        ));
    }
    let progress = Progress::new(false);
    let lab = Lab {
        clock: args.lab.clock_or(Clock::Tcg)?,
        ..args.lab.lab(cache)?
    };
    let kernel = args.lab.kernel(cache, &args.kernel, progress)?;
    progress.end();
    let mut programs = vec![
        ("sh".to_owned(), host_program("sh")?),
        ("cede".to_owned(), lab.program.clone()),
    ];
    for name in PROGRAMS {
        if let Ok(program) = host_program(name) {
            programs.push((name.to_owned(), program));
        }
    }
    let folder = records::new_folder(cache).map_err(Failure::run)?;
    output::tell(format!("Linux {}: Ctrl-A X ends the machine", kernel.version));
    lab.shell(&kernel.image, args.cpus, &programs, &folder)
        .map_err(Failure::run)
}

/// The program `name` on the search path.
fn host_program(name: &str) -> Result<Program, Failure> {
    let path = lab::on_path(name).ok_or_else(|| {
        Failure::run(format!(
            "this host has no `{name}` on its search path to pack into the guest"
        ))
    })?;
    Program::new(&path).map_err(Failure::run)
}
