//! What `getrusage(2)` says about one thread.

/// What a thread has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadUsage {
    /// CPU time. Exact in sum: the kernel scales its parts to the time that the thread has run.
    pub(crate) cpu_ns: u64,
    /// Times that it gave its CPU up to sleep.
    pub(crate) slept: u64,
    /// Times that it was switched out while it could have gone on, yields included.
    pub(crate) preempted: u64,
}
