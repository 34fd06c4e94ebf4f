use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use clap::Args;
use scenario::{OperationOutcome, Run, Scenario, Variant, Workload};
use testbed::{
    client::{self, LoadOutcome, LoadPlan},
    native,
};

use crate::{
    args::{self, PlaceArgs, ScenarioArgs},
    failure::Failure,
    interrupt, output,
    progress::Progress,
};

/// How often a pause looks whether to end.
const LOOK: Duration = Duration::from_millis(20);
/// Connections where neither the scenario nor a server's CPUs say how many.
const CONNECTIONS: u32 = 16;

/// Run the load client alone, against any server that speaks MongoDB's protocol
///
/// Unless told otherwise it first makes sure that the collection `usertable` of the database (`ycsb` if the URI names none)
/// holds exactly as many documents as the key `records` says: a collection that holds another number is DROPPED and filled
/// anew.
#[derive(Debug, Args)]
#[command(after_long_help = args::keys_help(), args_override_self = true)]
pub(crate) struct LoadArgs {
    /// The server, as mongodb://HOST:PORT[/DATABASE]
    #[arg(long, value_name = "URI")]
    uri: String,
    /// Mix of operations
    #[arg(long, value_name = "WORKLOAD", default_value = "ycsb_50read50update")]
    workload: String,
    /// Use the documents that are there: drop and insert none
    #[arg(long)]
    no_load_phase: bool,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Say nothing about progress
    #[arg(long)]
    quiet: bool,
    /// Run under the real-time policy with this priority, before every thread that has none
    #[arg(long, hide = true, value_name = "PRIORITY", value_parser = clap::value_parser!(u8).range(1..=99))]
    realtime: Option<u8>,
    #[command(flatten)]
    scenario: ScenarioArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &LoadArgs) -> Result<(), Failure> {
    let workload: Workload = args.workload.parse().map_err(Failure::usage)?;
    let run = Run {
        scenario: args.scenario.read(Scenario::default())?,
        workload,
        variant: Variant::Baseline,
    };
    let plan = plan(&run, &args.uri, !args.no_load_phase)?;
    if let Some(file) = &args.json {
        output::check_writable(file)?;
    }
    args.place.apply()?;
    if let Some(priority) = args.realtime {
        // Before any other thread is started: each inherits it.
        native::run_as_fifo(priority).map_err(Failure::run)?;
    }
    let interrupted = interrupt::flag().map_err(Failure::run)?;
    if !settle(Duration::from_secs_f64(run.scenario.settle_s), &interrupted) {
        return Err(Failure::run("interrupted before the load began"));
    }
    let progress = Progress::new(args.quiet);
    let mut last = Instant::now();
    let outcome = client::run(&plan, &interrupted, &mut |at| {
        let finer = matches!(at, client::Progress::Loading { .. });
        // Loading reports every batch; a line a second is enough.
        if !finer || last.elapsed() >= Duration::from_secs(1) {
            last = Instant::now();
            progress.step(&at.to_string());
        }
    });
    progress.end();
    let print =
        |outcome: &LoadOutcome| output::write_json_or(args.json.as_deref(), outcome, || summary(outcome));
    match outcome {
        Ok(outcome) => {
            print(&outcome)?;
            if !outcome.complete {
                return Err(Failure::run("interrupted: the result is partial"));
            }
            match outcome.trouble() {
                Some(trouble) if outcome.operation_count() == 0 => Err(Failure::run(trouble)),
                _ => Ok(()),
            }
        }
        Err(error) => {
            // What was measured before all connections broke is kept; its `complete` says what it is.
            error.partial().map_or(Ok(()), print)?;
            Err(Failure::run(error))
        }
    }
}

/// Waits for `pause`; tells whether it came to its end before `interrupted` was set.
fn settle(pause: Duration, interrupted: &AtomicBool) -> bool {
    let begin = Instant::now();
    while !interrupted.load(Ordering::SeqCst) {
        let left = pause.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(LOOK));
    }
    false
}

fn plan(run: &Run, uri: &str, load_phase: bool) -> Result<LoadPlan, Failure> {
    let target = client::parse_uri(uri).map_err(Failure::usage)?;
    let scenario = &run.scenario;
    Ok(LoadPlan {
        address: target.address,
        database: target.database,
        collection: client::DEFAULT_COLLECTION.to_owned(),
        connections: scenario.connections.unwrap_or_else(|| CONNECTIONS),
        threads: scenario.client_threads,
        think: Duration::from_micros(scenario.think_us),
        rate_ops: scenario.rate_ops,
        mix: run.mix().map_err(Failure::usage)?,
        records: scenario.records,
        warmup: Duration::from_secs_f64(scenario.warmup_s),
        measured: Duration::from_secs_f64(scenario.seconds),
        seed: scenario.seed,
        load_phase,
    })
}

fn summary(outcome: &LoadOutcome) -> String {
    let head = format!(
        "{:.0} operations/s over {:.2} s, {} errors\n",
        outcome.throughput_ops, outcome.seconds, outcome.errors
    );
    let operations = outcome.operations.iter().map(|(operation, latency)| {
        let OperationOutcome { count, mean_us, p50_us, p90_us, p99_us, p999_us, max_us, .. } = latency;
        format!(
            "{operation:>8}: {count} done; us: mean {mean_us:.0}, p50 {p50_us:.0}, p90 {p90_us:.0}, p99 {p99_us:.0}, \
             p99.9 {p999_us:.0}, max {max_us:.0}\n"
        )
    });
    let unsent = (outcome.unsent > 0).then(|| {
        format!(
            "{} arrivals found no free connection before the end; their wait is in no latency\n",
            outcome.unsent
        )
    });
    let trouble = outcome.trouble().map(|trouble| format!("{trouble}\n"));
    std::iter::once(head)
        .chain(operations)
        .chain(unsent)
        .chain(trouble)
        .collect()
}
