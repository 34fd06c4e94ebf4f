use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ffi::{Connection, Failure, Session};

/// Sessions for the connection threads: an operation has one to itself, and takes that which came back last, so that
/// there are as many as there were operations at a time. MongoDB's session cache does the same.
#[derive(Debug)]
pub(super) struct Sessions {
    connection: Arc<Connection>,
    idle: Mutex<Vec<Session>>,
}

impl Sessions {
    pub(super) fn new(connection: Connection) -> Self {
        Self {
            connection: Arc::new(connection),
            idle: Mutex::default(),
        }
    }

    /// Does `work` with a session, and keeps it for the next.
    pub(super) fn with<T, E: From<Failure>>(
        &self,
        work: impl FnOnce(&mut Session) -> Result<T, E>,
    ) -> Result<T, E> {
        let kept = self.idle().pop();
        let mut session = match kept {
            Some(session) => session,
            None => self.connection.session()?,
        };
        let result = work(&mut session);
        self.idle().push(session);
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
