//! What a policy can see.

use std::time::Duration;

/// What a thread can observe at a yield point or before it begins a request: all that a policy decides by.
///
/// Every field of a default one is zero or absent. Times of requests count from [`Session::begin`] on.
///
/// ```
/// use std::time::Duration;
/// use cede::{Decision, Observation, Oldest, Policy};
///
/// let mut seen = Observation::default();
/// seen.mean = Duration::from_millis(2);
/// seen.oldest = Some(Oldest { age: Duration::from_millis(6), ..Oldest::default() });
/// assert_eq!(Policy::Patience.at_begin(&seen), Decision::Park);
///
/// seen.oldest = None;
/// assert_eq!(Policy::Patience.at_begin(&seen), Decision::Stay);
/// ```
///
/// [`Session::begin`]: crate::Session::begin
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Observation {
    /// How long ago the own request began; zero at a yield point.
    pub age: Duration,
    /// CPU time that the own request is expected to take, at a yield point the last one; zero if nobody knows.
    pub cost: Duration,
    /// The oldest request under way that began before the own one.
    pub oldest: Option<Oldest>,
    /// How long requests take from begin to finish, on average over the last ones; zero before the first.
    pub mean: Duration,
    /// The kernel's default slice: a wait of that length is nothing special.
    pub slice: Duration,
    /// Other requests under way: those that have begun and are not parked.
    pub admitted: usize,
    /// Requests that are parked.
    pub parked: usize,
    /// CPUs that the process may use, by affinity and quota.
    pub cpus: f64,
    /// The part of its time, 0 to 1, that a request under way neither runs nor waits for a CPU, but for a lock or a disk.
    pub blocked: f64,
    /// Of the last requests that were held back, the part, 0 to 1, that went on while the one that they had been held back for
    /// was still under way.
    pub in_vain: f64,
    /// CPU time that the thread has used since it last gave its CPU away.
    pub ran: Duration,
    /// How much time yields may still take before they take too large a part.
    pub allowance: Duration,
}

/// `time` taken `by` times over, or the longest time there is.
pub(crate) fn times(time: Duration, by: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * by).unwrap_or(Duration::MAX)
}

/// The oldest request, as others see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oldest {
    /// How long ago it began.
    pub age: Duration,
    /// CPU time that it is expected to take; zero if nobody knows.
    pub cost: Duration,
}

impl Observation {
    /// The same for a request that was counted among those under way.
    pub(crate) fn without_me(mut self) -> Self {
        self.admitted = self.admitted.saturating_sub(1);
        self
    }

    /// The CPUs that can be busy at the same time, at least 1.
    pub(crate) fn whole_cpus(&self) -> usize {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let whole = self.cpus.ceil() as usize;
        whole.max(1)
    }
}
