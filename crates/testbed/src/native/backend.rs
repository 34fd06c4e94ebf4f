use std::{
    io,
    path::PathBuf,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use scenario::{Auto, Outcome, Run, Scenario, Variant};
use thiserror::Error;

use super::{
    child::Running,
    measure,
    split::CpuSplit,
    tracing::{self, Tracing},
    tunables::{Tunables, TunablesError},
};
use crate::{
    client::{self, LoadOutcome},
    descriptors::{self, DescriptorError},
    server::{self, CedeStatus},
    trace::{Recorder, TraceError},
};

/// Time for the server to open its engine and listen.
const START: Duration = Duration::from_secs(30);
/// Time for the load phase and for a slow start or end, beyond the scenario's own times.
const SLACK: Duration = Duration::from_secs(600);
/// Time for the client to end once its output is complete.
const END: Duration = Duration::from_secs(10);

/// Runs scenarios on this host.
#[derive(Clone, Debug)]
pub struct Native {
    /// The program whose commands `serve` and `load` are the two halves.
    pub program: PathBuf,
    /// Who runs where.
    pub split: CpuSplit,
    /// Real-time priority of the client, 1 to 99; none for the default scheduling policy.
    pub client_priority: Option<u8>,
    /// Whether to record where the server's threads are while they are off the CPU. It takes root, and its cost is in
    /// everything else that is measured.
    pub trace: bool,
}

/// What came out of a run.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What the client and the server counted, made into an outcome.
    pub outcome: Outcome,
    /// The client's output, as it is.
    pub raw: String,
}

/// Why no run of a scenario can succeed here.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The base slice cannot be set.
    #[error(transparent)]
    Tunables(#[from] TunablesError),
    /// There are too many connections.
    #[error(transparent)]
    Descriptors(#[from] DescriptorError),
    /// There can be no trace.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Why a run has no outcome.
#[derive(Debug, Error)]
pub enum NativeError {
    /// It was asked to end.
    #[error("interrupted")]
    Interrupted,
    /// The scenario wants another base slice.
    #[error(transparent)]
    Tunables(#[from] TunablesError),
    /// The run could not be traced.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A half could not be started.
    #[error("cannot start {program}: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// A half ended without a result.
    #[error("the {half} failed: {reason}")]
    Half {
        /// `server` or `client`.
        half: &'static str,
        /// The last line that it printed.
        reason: String,
    },
    /// What the client printed is not a result.
    #[error("the client's result cannot be read: {0}")]
    Result(String),
}

impl Native {
    /// Finds what would make every run fail, before the first one starts.
    ///
    /// # Errors
    /// If a variant or the scenario wants a base slice that cannot be set, there are too few file descriptors for the
    /// connections, or a trace is wanted that cannot be had.
    pub fn check(
        &self,
        scenario: &Scenario,
        variants: impl IntoIterator<Item = Variant>,
    ) -> Result<(), CheckError> {
        let base_slice = variants
            .into_iter()
            .find_map(Variant::base_slice_us)
            .or(scenario.base_slice_us.given());
        if let Some(us) = base_slice {
            Tunables::hold(Duration::from_micros(us))?;
        }
        if self.trace {
            Recorder::check()?;
        }
        // The halves inherit the limit, and have hardly more open at their start than this process.
        let connections = self.split.connections(scenario);
        let client = client::files_needed(connections, scenario.client_threads);
        descriptors::reserve(client.max(server::files_needed(connections)))?;
        Ok(())
    }

    /// Runs `run`; `progress` gets the client's lines about how far it is, and `stop` ends it early.
    ///
    /// # Errors
    /// Says which half failed and why.
    pub fn run(
        &self,
        run: &Run,
        stop: &AtomicBool,
        progress: impl Fn(&str) + Send + 'static,
    ) -> Result<Measured, NativeError> {
        let slice_us = run.variant.base_slice_us().or(run.scenario.base_slice_us.given());
        let held = slice_us
            .map(|us| Tunables::hold(Duration::from_micros(us)))
            .transpose()?;
        let mut serve = self.command("serve", run);
        serve.args(["--port", "0", "--variant", run.variant.name()]);
        serve.args(["--cpu-list", &self.split.server.to_string()]);
        let mut server = self.start(serve, |_| ())?;
        let interrupted = || stop.load(Ordering::SeqCst);
        let Some(address) = server.line(Instant::now() + START, interrupted) else {
            return Err(if interrupted() {
                NativeError::Interrupted
            } else {
                failed("server", &mut server)
            });
        };
        let uri = format!(
            "mongodb://{}/ycsb",
            address.trim().rsplit(' ').next().unwrap_or_default()
        );

        let mut load = self.command("load", run);
        load.args(["--uri", &uri, "--workload", run.workload.name(), "--json", "-"]);
        load.args(["--cpu-list", &self.split.client.to_string()]);
        if let Some(priority) = self.client_priority {
            load.args(["--realtime", &priority.to_string()]);
        }
        // Before the warm-up, since it takes its time.
        let (mut tracing, recorded) = self
            .trace
            .then(|| Tracing::prepare(server.process()))
            .transpose()?
            .unzip();
        let mut client = self.start(load, move |line| {
            if let Some(tracing) = &mut tracing {
                tracing.hear(line);
            }
            progress(line);
        })?;
        let text = result(&mut client, run, stop).map_err(|error| {
            // A server that is gone is the cause of whatever the client has to say.
            let gone = matches!(server.status(Instant::now()), Ok(Some(_)));
            if gone {
                failed("server", &mut server)
            } else {
                error
            }
        })?;
        let mut outcome = read(&text)?;
        if let Some(recorded) = recorded {
            let never = |_| NativeError::Result("it does not say when the measured part was over".to_owned());
            let off_cpu = recorded.recv().map_err(never)??.read()?;
            outcome.notes.extend(tracing::notes(&off_cpu));
            outcome.off_cpu = Some(off_cpu);
        }
        outcome.notes.insert(0, self.split.describe(self.client_priority));
        outcome.notes.extend(held.as_ref().map(Tunables::describe));
        outcome
            .notes
            .extend(server.errors().iter().map(|line| without_name(line).to_owned()));
        Ok(Measured { outcome, raw: text })
    }

    /// The common part of both halves: the whole scenario, with nothing left to derive.
    fn command(&self, half: &str, run: &Run) -> Command {
        let mut scenario = run.scenario.clone();
        scenario.connections = Auto::Given(self.split.connections(&scenario));
        let mut command = Command::new(&self.program);
        command
            .arg(half)
            .args(["--parent", &std::process::id().to_string()]);
        for pair in scenario.pairs() {
            command.args(["--set", &pair]);
        }
        command
    }

    fn start(
        &self,
        command: Command,
        on_error_line: impl FnMut(&str) + Send + 'static,
    ) -> Result<Running, NativeError> {
        Running::start(command, on_error_line).map_err(|source| NativeError::Spawn {
            program: self.program.display().to_string(),
            source,
        })
    }
}

/// Everything that the client prints, once it has ended well.
fn result(client: &mut Running, run: &Run, stop: &AtomicBool) -> Result<String, NativeError> {
    let scenario = &run.scenario;
    let own = scenario.settle_s + scenario.warmup_s + scenario.seconds;
    let deadline = Instant::now() + Duration::from_secs_f64(own) + SLACK;
    let interrupted = || stop.load(Ordering::SeqCst);
    let mut text = String::new();
    while let Some(line) = client.line(deadline, interrupted) {
        text.push_str(&line);
        text.push('\n');
    }
    if interrupted() {
        return Err(NativeError::Interrupted);
    }
    match client.status(Instant::now() + END) {
        Ok(Some(status)) if status.success() => Ok(text),
        _ => Err(failed("client", client)),
    }
}

fn failed(half: &'static str, running: &mut Running) -> NativeError {
    // Its last words may still be on their way through the pipe.
    let status = running.status(Instant::now() + Duration::from_secs(1));
    let reason = match (status, running.errors().pop()) {
        (Ok(None) | Err(_), _) => "no answer in time".to_owned(),
        (Ok(Some(status)), Some(line)) if status.code().is_some() => without_name(&line).to_owned(),
        // Killed by a signal, or gone without a word.
        (Ok(Some(status)), _) => status.to_string(),
    };
    NativeError::Half { half, reason }
}

/// A half's line without the name of the program, which is this one's, too.
fn without_name(line: &str) -> &str {
    line.trim_start_matches("cede: ")
}

fn read(text: &str) -> Result<Outcome, NativeError> {
    let load: LoadOutcome =
        serde_json::from_str(text).map_err(|error| NativeError::Result(error.to_string()))?;
    let status = load
        .status
        .as_ref()
        .ok_or_else(|| NativeError::Result("no serverStatus in it".to_owned()))?;
    let section = |document: &bson::Document| -> Result<CedeStatus, NativeError> {
        let section = document
            .get_document("cede")
            .map_err(|error| NativeError::Result(error.to_string()))?;
        bson::deserialize_from_document(section.clone())
            .map_err(|error| NativeError::Result(error.to_string()))
    };
    Ok(measure::outcome(
        &load,
        &section(&status.before)?,
        &section(&status.after)?,
        &section(&status.end)?,
    ))
}
