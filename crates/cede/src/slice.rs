//! A thread's own slice: how long EEVDF lets it run before others are due.
//!
//! Since Linux 6.12, `sched_setattr(2)` takes a slice in `sched_runtime` from threads under `SCHED_OTHER` and
//! `SCHED_BATCH` (commit 857b158dc5e8, "sched/eevdf: Use `sched_attr::sched_runtime` to set request/slice
//! suggestion"). Kernels before that accept the same call and ignore the field, so the slice is read back.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::sys::{self, SchedAttr};

/// The range that the kernel clamps a slice to (`__setparam_fair` in kernel/sched/fair.c).
const SHORTEST: Duration = Duration::from_micros(100);
const LONGEST: Duration = Duration::from_millis(100);
/// Asks for the kernel's own choice.
const DEFAULT: u64 = 0;

/// How a session's thread stands with a slice of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SliceState {
    /// None was set: the policy does not ask for one, or the thread is not under `SCHED_OTHER` or
    /// `SCHED_BATCH` and so has none.
    Unchanged,
    /// The kernel confirmed this slice.
    Applied(Duration),
    /// The kernel took the call and kept its own slice, as Linux before 6.12 does.
    NotHonoured,
    /// The kernel refused the call, with this `errno`.
    Refused(i32),
}

/// One sentence for people.
impl fmt::Display for SliceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchanged => f.write_str(
                "the thread keeps the slice it had: the policy asks for none, or the thread is not under \
                 SCHED_OTHER or SCHED_BATCH",
            ),
            Self::Applied(slice) => write!(f, "the kernel confirmed a slice of {slice:?}"),
            Self::NotHonoured => {
                f.write_str("the kernel ignored the slice: it takes one per thread from Linux 6.12 on")
            }
            Self::Refused(errno) => {
                write!(
                    f,
                    "the kernel refused the slice: {}",
                    io::Error::from_raw_os_error(*errno)
                )
            }
        }
    }
}

/// The calling thread's own slice, given back on drop.
#[derive(Debug)]
pub(crate) struct OwnSlice {
    state: SliceState,
    /// `sched_runtime` to put back; `None` if nothing was changed.
    earlier_ns: Option<u64>,
}

impl OwnSlice {
    /// Gives the calling thread a slice, within the range that the kernel has for it.
    pub(crate) fn set(slice: Duration) -> Self {
        match try_set(slice.clamp(SHORTEST, LONGEST)) {
            Ok(own) => own,
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or_default();
                Self {
                    state: SliceState::Refused(errno),
                    earlier_ns: None,
                }
            }
        }
    }

    pub(crate) const fn state(&self) -> SliceState {
        self.state
    }
}

/// Policy, nice value and flags are handed back to the kernel as it told them, so that they stay.
fn try_set(slice: Duration) -> io::Result<OwnSlice> {
    let earlier = sys::sched_attr()?;
    if !earlier.is_fair() {
        return Ok(OwnSlice {
            state: SliceState::Unchanged,
            earlier_ns: None,
        });
    }
    let default = set_and_read_back(&earlier, DEFAULT)?;
    let slice_ns = u64::try_from(slice.as_nanos()).map_err(io::Error::other)?;
    let confirmed = set_and_read_back(&earlier, slice_ns)?;
    let state = if confirmed == slice_ns {
        SliceState::Applied(slice)
    } else {
        SliceState::NotHonoured
    };
    // The kernel reports the default slice like one that was asked for; only by comparison can it be told
    // apart and given back as "the default", which then follows later changes of base_slice_ns.
    let earlier_ns = if earlier.sched_runtime == default {
        DEFAULT
    } else {
        earlier.sched_runtime
    };
    Ok(OwnSlice {
        state,
        earlier_ns: Some(earlier_ns),
    })
}

fn set_and_read_back(attr: &SchedAttr, slice_ns: u64) -> io::Result<u64> {
    sys::set_sched_attr(&attr.with_runtime(slice_ns))?;
    Ok(sys::sched_attr()?.sched_runtime)
}

impl Drop for OwnSlice {
    fn drop(&mut self) {
        let Some(earlier_ns) = self.earlier_ns else { return };
        // Read anew: the server may have changed policy or nice value meanwhile, and those are its own.
        // A failure leaves a short slice behind, which does no harm that could be mended here.
        if let Ok(attr) = sys::sched_attr()
            && attr.is_fair()
        {
            let _ = sys::set_sched_attr(&attr.with_runtime(earlier_ns));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_one_sentence() {
        let refused = SliceState::Refused(1).to_string();
        assert!(
            refused.contains("ermitted") || refused.contains("os error 1"),
            "{refused}"
        );
        assert_eq!(
            SliceState::Applied(Policy::DEFAULT_SLICE).to_string(),
            "the kernel confirmed a slice of 350µs"
        );
        assert!(SliceState::NotHonoured.to_string().contains("6.12"));
        assert!(SliceState::Unchanged.to_string().contains("keeps"));
    }

    use crate::policy::Policy;

    #[cfg(target_os = "linux")]
    mod linux {
        use super::*;

        /// Whether this kernel has slices per thread: it then tells every fair thread's.
        fn honoured() -> bool {
            sys::sched_attr().unwrap().sched_runtime != 0
        }

        fn set_nice(nice: i32) {
            let attr = sys::sched_attr().unwrap();
            sys::set_sched_attr(&SchedAttr {
                sched_nice: nice,
                ..attr
            })
            .unwrap();
        }

        #[test]
        fn a_slice_is_set_and_put_back_and_the_nice_value_stays() {
            set_nice(5);
            let before = sys::sched_attr().unwrap();
            let own = OwnSlice::set(Policy::DEFAULT_SLICE);
            let during = sys::sched_attr().unwrap();
            if honoured() {
                assert_eq!(own.state(), SliceState::Applied(Policy::DEFAULT_SLICE));
                assert_eq!(during, before.with_runtime(350_000));
            } else {
                assert_eq!(own.state(), SliceState::NotHonoured);
                assert_eq!(during, before);
            }
            assert_eq!(during.sched_nice, 5);
            drop(own);
            assert_eq!(sys::sched_attr().unwrap(), before);
        }

        #[test]
        fn a_changed_nice_value_survives_the_end() {
            let own = OwnSlice::set(Policy::DEFAULT_SLICE);
            set_nice(7);
            drop(own);
            assert_eq!(sys::sched_attr().unwrap().sched_nice, 7);
        }

        #[test]
        fn an_earlier_slice_comes_back() {
            let outer = OwnSlice::set(Duration::from_micros(900));
            let inner = OwnSlice::set(Duration::ZERO);
            if honoured() {
                assert_eq!(
                    inner.state(),
                    SliceState::Applied(SHORTEST),
                    "brought into the kernel's range"
                );
                drop(inner);
                assert_eq!(sys::sched_attr().unwrap().sched_runtime, 900_000);
            } else {
                assert_eq!(outer.state(), SliceState::NotHonoured);
            }
        }

        #[test]
        fn a_thread_that_is_not_fair_is_left_alone() {
            const SCHED_IDLE: u32 = 5;
            let attr = sys::sched_attr().unwrap();
            sys::set_sched_attr(&SchedAttr {
                sched_policy: SCHED_IDLE,
                ..attr.with_runtime(0)
            })
            .unwrap();
            let before = sys::sched_attr().unwrap();
            let own = OwnSlice::set(Policy::DEFAULT_SLICE);
            assert_eq!(own.state(), SliceState::Unchanged);
            assert_eq!(sys::sched_attr().unwrap(), before);
        }
    }
}
