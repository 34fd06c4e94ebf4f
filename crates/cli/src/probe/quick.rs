//! The quick probe, as often as one wants: is it right every time?

use std::{fmt::Write, path::Path};

use cede::era::{self, Finding, Kernel, Witnesses};
use clap::Args;
use serde::Serialize;

use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(super) struct QuickArgs {
    /// With --quick: how often
    #[arg(long, value_name = "N", default_value_t = 1, requires = "quick", value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// With --quick: take no hint from the kernel's version
    #[arg(long, requires = "quick")]
    ignore_version: bool,
    /// With --quick: do not look at the kernel's accounts of a thread, which some kernels do not show
    #[arg(long, requires = "quick")]
    ignore_accounts: bool,
}

/// One answer. Its names are those of [`Kernel`].
#[derive(Debug, Serialize)]
struct Answer {
    era: String,
    forfeits: Option<bool>,
    forfeits_measured: bool,
    base_slice_us: Option<f64>,
    custom_slice: bool,
    exact_slices: Option<bool>,
    exact_slices_measured: bool,
    measured_for_us: f64,
    evidence: String,
}

pub(super) fn run(args: &QuickArgs, json: Option<&Path>) -> Result<(), Failure> {
    let mut witnesses = Witnesses::ALL;
    if args.ignore_version {
        witnesses = witnesses.without_version();
    }
    if args.ignore_accounts {
        witnesses = witnesses.without_accounts();
    }
    let kernels: Vec<Kernel> = (0..args.times).map(|_| era::detect(witnesses)).collect();
    let answers: Vec<Answer> = kernels.iter().map(answer).collect();
    output::write_json_or(json, &answers, || {
        let mut text = String::new();
        for kernel in &kernels {
            let _infallible = writeln!(text, "{}", describe(kernel));
        }
        text
    })
}

fn answer(kernel: &Kernel) -> Answer {
    Answer {
        era: kernel.era.to_string(),
        forfeits: kernel.forfeits.holds(),
        forfeits_measured: kernel.forfeits.is_measured(),
        base_slice_us: kernel.base_slice.map(|slice| slice.as_secs_f64() * 1e6),
        custom_slice: kernel.custom_slice,
        exact_slices: kernel.exact_slices.holds(),
        exact_slices_measured: kernel.exact_slices.is_measured(),
        measured_for_us: kernel.measured_for.as_secs_f64() * 1e6,
        evidence: kernel.evidence.join(" "),
    }
}

fn describe(kernel: &Kernel) -> String {
    let finding = |finding: Finding| finding.to_string();
    format!(
        "{}; forfeits: {}; exact slices: {}; {:.1} ms. {}",
        kernel.era,
        finding(kernel.forfeits),
        finding(kernel.exact_slices),
        kernel.measured_for.as_secs_f64() * 1e3,
        kernel.evidence.join(" ")
    )
}
