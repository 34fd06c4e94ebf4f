//! `struct sched_attr`, the argument of `sched_getattr(2)` and `sched_setattr(2)`.

/// `SCHED_OTHER` of `sched(7)`: the ordinary, fair policy.
const SCHED_OTHER: u32 = 0;
/// `SCHED_BATCH` of `sched(7)`: fair too, without wake-up preemption.
const SCHED_BATCH: u32 = 3;

/// `SCHED_FIFO`, `SCHED_RR` and `SCHED_DEADLINE` of `sched(7)`: while such a thread is runnable, no other runs.
const REAL_TIME: [u32; 3] = [1, 2, 6];

/// A thread's scheduling attributes, as Linux lays them out since 5.3 (`SCHED_ATTR_SIZE_VER1`).
///
/// Earlier kernels know 48 bytes of it and accept the rest as long as it is zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SchedAttr {
    pub(crate) size: u32,
    pub(crate) sched_policy: u32,
    pub(crate) sched_flags: u64,
    pub(crate) sched_nice: i32,
    pub(crate) sched_priority: u32,
    /// Nanoseconds. Of a fair thread: its slice from Linux 6.12 on, 0 before. Setting 0 means the default.
    pub(crate) sched_runtime: u64,
    pub(crate) sched_deadline: u64,
    pub(crate) sched_period: u64,
    pub(crate) sched_util_min: u32,
    pub(crate) sched_util_max: u32,
}

// include/uapi/linux/sched/types.h
const _: () = {
    assert!(size_of::<SchedAttr>() == 56);
    assert!(std::mem::offset_of!(SchedAttr, sched_flags) == 8);
    assert!(std::mem::offset_of!(SchedAttr, sched_nice) == 16);
    assert!(std::mem::offset_of!(SchedAttr, sched_runtime) == 24);
    assert!(std::mem::offset_of!(SchedAttr, sched_util_min) == 48);
};

impl SchedAttr {
    /// Whether the thread runs under a fair policy, the only ones that have a slice of this kind.
    pub(crate) const fn is_fair(&self) -> bool {
        matches!(self.sched_policy, SCHED_OTHER | SCHED_BATCH)
    }

    /// Whether the thread runs before all that are not of this kind.
    pub(crate) fn is_real_time(&self) -> bool {
        REAL_TIME.contains(&self.sched_policy)
    }

    /// The same attributes with another slice, in nanoseconds.
    pub(crate) const fn with_runtime(self, ns: u64) -> Self {
        Self {
            sched_runtime: ns,
            ..self
        }
    }

    /// The same attributes under `SCHED_OTHER` and with the kernel's default slice.
    pub(crate) const fn ordinary(self) -> Self {
        Self {
            sched_policy: SCHED_OTHER,
            sched_priority: 0,
            sched_runtime: 0,
            ..self
        }
    }
}
