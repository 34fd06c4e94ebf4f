//! What can be observed about the running kernel.

use std::fs;
use std::thread;
use std::time::Duration;

use super::judge::{Verdict, judge};
use super::measure::{self, Sample};
use super::{Era, by_version, version};
use crate::policy::Policy;
use crate::slice::{OwnSlice, SliceState};
use crate::sys;

/// A yield that costs this or more is worth suspecting when the kernel does not tell its slice: the kernel's
/// default before it is scaled up by the number of CPUs.
pub(crate) const SMALLEST_BASE_SLICE: Duration = Duration::from_micros(700);

/// A measurement that contradicts itself is repeated this often at most.
const ROUNDS: u32 = 3;

/// What the kernel says about itself, without anything being timed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) release: String,
    pub(crate) version: Option<(u32, u32, u32)>,
    /// The BPF scheduler that runs ordinary threads, if one does.
    pub(crate) bpf_scheduler: Option<String>,
    /// Whether the scheduler's files in debugfs are those of EEVDF; `None` where they cannot be seen.
    pub(crate) eevdf_by_debugfs: Option<bool>,
    pub(crate) base_slice: Option<Duration>,
    /// Whether another slice is honoured.
    pub(crate) custom_slice: bool,
}

impl Facts {
    /// What can be read in files; slices are left to [`with_slices`](Self::with_slices), since only a thread can
    /// ask for its own.
    pub(crate) fn read() -> Self {
        let name = sys::uname();
        let signature = fs::read_to_string("/proc/version_signature").ok();
        Self {
            version: version::upstream(&name.release, &name.build, signature.as_deref()),
            release: name.release,
            bpf_scheduler: bpf_scheduler(),
            eevdf_by_debugfs: eevdf_by_debugfs(),
            base_slice: None,
            custom_slice: false,
        }
    }

    /// The same, with the default slice as a thread was told it, and whether another one was honoured.
    pub(crate) fn with_slices(self, told: Option<Duration>, custom_slice: bool) -> Self {
        Self {
            base_slice: told.or_else(base_slice_by_debugfs),
            custom_slice,
            ..self
        }
    }

    pub(crate) fn era_by_version(&self) -> Era {
        self.version.map_or(Era::Unknown, |(major, minor, patch)| {
            by_version(major, minor, patch)
        })
    }

    /// The slice that a yielder may forfeit, or the smallest that it can be where the kernel does not tell.
    pub(crate) fn slice(&self) -> Duration {
        self.base_slice.unwrap_or(SMALLEST_BASE_SLICE)
    }
}

/// Measures until the result is clear, or often enough.
pub(crate) fn measure_clearly(slice: Duration) -> Result<Sample, String> {
    let mut sample = Err(String::new());
    for _round in 0..ROUNDS {
        sample = measure::round().map_err(|error| error.to_string());
        if sample
            .as_ref()
            .map_or(true, |sample| judge(sample, slice) != Verdict::Unclear)
        {
            break;
        }
    }
    sample
}

/// The default slice as `sched_getattr(2)` tells it, and whether another one is honoured.
pub(crate) fn slices() -> (Option<Duration>, bool) {
    // On a thread of its own, because the caller may have a slice that it wants to keep.
    let asked = thread::Builder::new()
        .name("cede-probe-slice".to_owned())
        .spawn(|| {
            let attr = sys::sched_attr().and_then(|attr| sys::set_sched_attr(&attr.ordinary()));
            let told = attr
                .and_then(|()| sys::sched_attr())
                .map_or(0, |attr| attr.sched_runtime);
            let own = OwnSlice::set(Policy::DEFAULT_SLICE);
            (
                (told > 0).then(|| Duration::from_nanos(told)),
                matches!(own.state(), SliceState::Applied(_)),
            )
        });
    asked
        .ok()
        .and_then(|thread| thread.join().ok())
        .unwrap_or((None, false))
}

/// Its name, if `sched_ext` has taken over all ordinary threads and not just those that asked for it.
fn bpf_scheduler() -> Option<String> {
    let read = |file| fs::read_to_string(format!("/sys/kernel/sched_ext/{file}"));
    let runs_all = read("state").is_ok_and(|state| state.trim() == "enabled")
        && read("switch_all").map_or(true, |all| all.trim() != "0");
    runs_all.then(|| read("root/ops").map_or_else(|_| "unnamed".to_owned(), |ops| ops.trim().to_owned()))
}

/// `min_granularity_ns` became `base_slice_ns` with EEVDF (commit e4ec3318a17f), which also did away with
/// `latency_ns`. Seen by root only, and where debugfs is mounted.
fn eevdf_by_debugfs() -> Option<bool> {
    let exists = |file| fs::exists(format!("/sys/kernel/debug/sched/{file}")).unwrap_or(false);
    match (exists("base_slice_ns"), exists("latency_ns")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

fn base_slice_by_debugfs() -> Option<Duration> {
    let ns = fs::read_to_string("/sys/kernel/debug/sched/base_slice_ns").ok()?;
    ns.trim().parse().ok().map(Duration::from_nanos)
}
