use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use cede::{Domain, Policy, SliceState};
use scenario::{Auto, Engine as EngineChoice, Placement, PolicyChoice, Scenario};
use thiserror::Error;

#[cfg(feature = "wiredtiger")]
use super::storage::{WiredTigerEngine, WiredTigerPlan};
use super::{
    admission::Admission,
    background::{Background, BackgroundPlan, LeftoversPlan, PatrolPlan, Work},
    catalog::{Catalog, Documents},
    commands::{Cursors, OperationLatencies},
    storage::{Engine, FjallEngine, Folder, MemoryEngine, StorageError, SyntheticEngine, SyntheticWork},
    threads::ThreadUsage,
    transport::{ExecutorPlan, ListenError, Listener, ServiceExecutor},
};
use crate::descriptors::{self, DescriptorError};

/// Files of a server beside its clients' connections: the listener, those of the storage engine, and the control
/// connection of a client.
const OTHER_FILES: u64 = 32;

/// Files that a server with so many connections opens at most, beside those that the process has open.
pub(crate) fn files_needed(connections: u32) -> u64 {
    u64::from(connections) + OTHER_FILES
}

/// What to serve, and how.
#[derive(Clone, Debug)]
pub struct ServerPlan {
    /// The scenario: engine, guard, background.
    pub scenario: Scenario,
    /// The policy at the yield points.
    pub policy: PolicyChoice,
    /// The yield points in use.
    pub placement: Placement,
    /// The port on loopback, 0 for any free one.
    pub port: u16,
    /// The folder of a durable engine; a temporary one unless given.
    pub folder: Option<PathBuf>,
}

/// Everything that connection threads share.
#[derive(Debug)]
pub struct Services {
    /// Lets threads yield.
    pub executor: ServiceExecutor,
    /// Lets operations into the engine.
    pub admission: Admission,
    /// Keeps documents.
    pub engine: Box<dyn Engine>,
    /// Knows the collections and their indexes.
    pub catalog: Catalog,
    /// Keeps results that did not fit into one reply.
    pub cursors: Cursors,
    /// Counts commands and the time that they take.
    pub latencies: OperationLatencies,
    /// Works beside the connection threads.
    pub background: Background,
    /// The connection threads that have carried out an operation on a document.
    pub workers: Arc<ThreadUsage>,
    /// When the server started.
    pub started: Instant,
    /// What the policy `capped` asks for.
    slice: Duration,
    slice_noted: AtomicBool,
    warn: fn(&str),
}

/// A running server. Dropping it ends all its threads.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    services: Arc<Services>,
}

/// Why a server cannot start.
#[derive(Debug, Error)]
pub enum ServerError {
    /// It cannot listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Its engine cannot be opened.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The scenario has more connections than this process may open files.
    #[error(transparent)]
    Descriptors(#[from] DescriptorError),
    /// A background thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

impl Server {
    /// Starts the server of `plan`; `warn` is called with one line for each trouble that it survives.
    ///
    /// # Errors
    /// If the port, the folder or a thread is not to be had.
    pub fn start(plan: &ServerPlan, warn: fn(&str)) -> Result<Self, ServerError> {
        match plan.scenario.connections {
            Auto::Given(connections) => descriptors::reserve(files_needed(connections))?,
            // Nobody has said how many there will be: as many as may be, and if that cannot be raised, those there are.
            Auto::Auto => drop(descriptors::raise()),
        }
        let services = Arc::new(Services::start(plan, warn)?);
        let listener = Listener::start(plan.port, Arc::clone(&services))?;
        Ok(Self { listener, services })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> std::net::SocketAddr {
        self.listener.address()
    }

    /// What its threads share.
    #[must_use]
    pub fn services(&self) -> &Services {
        &self.services
    }
}

impl Services {
    /// Opens the engine and starts the background threads of `plan`.
    ///
    /// # Errors
    /// If the engine cannot be opened or a thread cannot be started.
    pub fn start(plan: &ServerPlan, warn: fn(&str)) -> Result<Self, ServerError> {
        let scenario = &plan.scenario;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let work = Work::new(scenario.work_loops_per_us);
        let folder = || plan.folder.clone().map_or(Folder::Temporary, Folder::Kept);
        let engine: Box<dyn Engine> = match scenario.engine {
            EngineChoice::Memory => Box::new(MemoryEngine::default()),
            EngineChoice::Fjall => Box::new(FjallEngine::open(folder(), scenario.journal_sync)?),
            EngineChoice::Synthetic => {
                let amount = SyntheticWork {
                    read_us: scenario.read_cpu_us,
                    update_us: scenario.update_cpu_us,
                    lock_percent: scenario.lock_percent,
                };
                Box::new(SyntheticEngine::new(work, amount))
            }
            #[cfg(feature = "wiredtiger")]
            EngineChoice::Wiredtiger => Box::new(WiredTigerEngine::open(WiredTigerPlan {
                folder: folder(),
                sync: scenario.journal_sync,
                cache_mib: scenario.wiredtiger_cache_mb,
            })?),
            #[cfg(not(feature = "wiredtiger"))]
            EngineChoice::Wiredtiger => return Err(StorageError::NotBuilt.into()),
        };
        let background = Background::start(background_plan(scenario, cores), work)?;
        background.count(engine.own_threads());
        let started = Instant::now();
        let admission = Admission::start(scenario.admission, count(cores), started, warn)?;
        let executor = ExecutorPlan {
            placement: plan.placement,
            guard: scenario.guard,
            guard_counter: scenario.guard_counter,
            cores,
        };
        Ok(Self {
            executor: ServiceExecutor::new(
                executor,
                Domain::new(policy(plan.policy, Duration::from_micros(scenario.slice_us))),
            ),
            admission,
            catalog: Catalog::open(engine.as_ref())?,
            engine,
            cursors: Cursors::default(),
            latencies: OperationLatencies::default(),
            background,
            workers: Arc::default(),
            started,
            slice: Duration::from_micros(scenario.slice_us),
            slice_noted: AtomicBool::new(false),
            warn,
        })
    }

    /// The documents, for writes that keep the indexes true.
    #[must_use]
    pub fn documents(&self) -> Documents<'_> {
        Documents::new(self.engine.as_ref(), &self.catalog)
    }

    /// Changes the policy at the yield points while the server runs.
    pub fn set_policy(&self, choice: PolicyChoice) {
        self.executor.domain().set_policy(policy(choice, self.slice));
    }

    /// Reports, once, that the kernel does not grant connection threads their custom slice.
    pub(super) fn note_slice(&self, slice: SliceState) {
        if matches!(slice, SliceState::NotHonoured | SliceState::Refused(_))
            && !self.slice_noted.swap(true, Ordering::Relaxed)
        {
            self.warn(&format!(
                "{slice}; connection threads yield with the default slice"
            ));
        }
    }

    /// Reports a trouble that the server survives.
    pub fn warn(&self, line: &str) {
        (self.warn)(line);
    }
}

fn policy(choice: PolicyChoice, slice: Duration) -> Policy {
    match choice {
        PolicyChoice::Native => Policy::Native,
        PolicyChoice::None => Policy::None,
        PolicyChoice::Nap => Policy::Nap,
        PolicyChoice::Auto => Policy::Auto,
        PolicyChoice::Budgeted => Policy::Budgeted,
        PolicyChoice::Patience => Policy::Patience,
        PolicyChoice::Age => Policy::Age,
        PolicyChoice::Capped => Policy::Capped { slice },
    }
}

fn background_plan(scenario: &Scenario, cores: usize) -> BackgroundPlan {
    BackgroundPlan {
        leftovers: LeftoversPlan {
            per_update_us: scenario.background_us_per_update,
            burst_us: scenario.background_burst_us,
            limit_us: scenario.background_limit_us,
        },
        patrol: (scenario.patrol_busy_us > 0.0).then(|| PatrolPlan {
            busy_us: scenario.patrol_busy_us,
            sleep: Duration::from_micros(scenario.patrol_sleep_us),
        }),
        cpus: count(cores),
    }
}

fn count(cores: usize) -> u32 {
    u32::try_from(cores).unwrap_or(u32::MAX)
}

impl fmt::Display for ServerPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "engine {}, policy {}, yield points {}",
            self.scenario.engine, self.policy, self.placement
        )
    }
}
