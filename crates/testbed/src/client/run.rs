use std::{
    sync::{atomic::AtomicBool, mpsc},
    thread,
};

use super::{
    conductor::Conductor,
    control::Control,
    error::LoadError,
    limits::Limits,
    load,
    outcome::LoadOutcome,
    plan::{LoadPlan, worker_threads},
    progress::Progress,
    window::Window,
    worker,
};

use crate::descriptors;

/// Files of a run beside the load connections: the control connection, those that insert, and some to spare.
const OTHER_FILES: u64 = 16;
/// Files of each thread: its event queue and its timer.
const FILES_PER_THREAD: u64 = 2;

/// Files that a run opens at most, beside those that the process has open.
pub(crate) fn files_needed(connections: u32, threads: u32) -> u64 {
    let threads = u64::from(worker_threads(connections, threads));
    u64::from(connections) + threads * FILES_PER_THREAD + OTHER_FILES
}

/// Runs the load.
///
/// 1. With `load_phase`: a collection that has exactly `records` documents stays as it is; any other is dropped and
///    filled anew.
/// 2. All connections are opened, and warmed up for `warmup`.
/// 3. `serverStatus` is fetched, on a connection of its own that is closed again, then the measured part begins: operations that complete within it are recorded.
/// 4. At its end nothing new is sent, `serverStatus` is fetched again, and replies still under way are awaited.
/// 5. `serverStatus` is fetched once more, and only then the connections are closed: a server with a thread per
///    connection keeps all its threads, and whatever the kernel counts for each, until it has told them.
///
/// A connection that breaks, or gets no reply for 30 s, counts as one error, and the load goes on with the others.
/// Setting `stop` ends the run early; what was measured until then is returned, with `complete` false.
/// `progress` is called from this thread.
///
/// # Errors
/// If the plan cannot be run, a connection cannot be opened, the load phase fails, or the server is gone before the
/// end: [`LoadError::AllConnectionsLost`] then holds what was measured.
pub fn run(
    plan: &LoadPlan,
    stop: &AtomicBool,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<LoadOutcome, LoadError> {
    run_within(plan, Limits::default(), stop, progress)
}

/// [`run`] with other time limits.
pub(super) fn run_within(
    plan: &LoadPlan,
    limits: Limits,
    stop: &AtomicBool,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<LoadOutcome, LoadError> {
    plan.check()?;
    descriptors::reserve(files_needed(plan.connections, plan.threads))?;

    let mut control = Control::open(plan.address, limits)?;
    if plan.load_phase {
        let loaded = load::load(plan, limits, &mut control, stop, progress)?;
        if !loaded {
            return Ok(LoadOutcome::default());
        }
    }
    let answered = control.answered;
    drop(control);

    let window = Window::new();
    let (report, reports) = mpsc::channel();
    thread::scope(|scope| {
        let mut begins = Vec::new();
        for job in worker::jobs(plan, limits, &window, stop) {
            let (begin, load_begins) = mpsc::channel();
            let report = report.clone();
            thread::Builder::new()
                .name("load".to_owned())
                .spawn_scoped(scope, move || job.work(report, &load_begins))
                // Those that have started already must not wait for a load that will not begin.
                .inspect_err(|_| window.close(0))
                .map_err(LoadError::system("start a thread"))?;
            begins.push(begin);
        }
        drop(report);
        let conductor = Conductor {
            plan,
            window: &window,
            stop,
            limits,
            answered,
            reports,
            begins,
        };
        conductor.conduct(progress)
    })
}
