use std::time::Duration;

/// How long the client waits for a server that does not answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// For any one reply, and for a connection to open.
    pub(super) reply: Duration,
    /// For the replies that are still under way at the end of the measured part.
    pub(super) drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            reply: Duration::from_secs(30),
            drain: Duration::from_secs(10),
        }
    }
}
