use std::fmt;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Documents are being inserted.
    Loading {
        /// Documents that the server has acknowledged.
        done: u64,
        /// Documents to insert.
        total: u64,
    },
    /// The connections are being opened.
    Opening,
    /// The load runs and is not recorded yet.
    WarmingUp,
    /// The measured part has begun.
    Measuring,
    /// The measured part is over; replies still under way are awaited.
    Finishing,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loading { done, total } => write!(f, "inserting documents: {done} of {total}"),
            Self::Opening => f.write_str("opening connections"),
            Self::WarmingUp => f.write_str("warming up"),
            Self::Measuring => f.write_str("measuring"),
            Self::Finishing => f.write_str("waiting for the last replies"),
        }
    }
}
