use bson::{RawArrayBuf, RawDocumentBuf, raw::cstr};

use super::{error::CommandError, finish};

/// Collects what became of the statements of one write command.
#[derive(Debug, Default)]
pub(super) struct WriteResult {
    /// Documents inserted, matched or deleted.
    n: i32,
    errors: RawArrayBuf,
    failed: bool,
}

impl WriteResult {
    /// Runs `write` for each statement and its place; one that fails is noted, and ends an `ordered` command.
    pub(super) fn collect<T>(
        ordered: bool,
        statements: impl IntoIterator<Item = T>,
        mut write: impl FnMut(usize, T) -> Result<i32, CommandError>,
    ) -> Self {
        let mut result = Self::default();
        for (index, statement) in statements.into_iter().enumerate() {
            match write(index, statement) {
                Ok(n) => result.n = result.n.saturating_add(n),
                Err(error) => {
                    result.fail(index, &error);
                    if ordered {
                        break;
                    }
                }
            }
        }
        result
    }

    fn fail(&mut self, index: usize, error: &CommandError) {
        let mut failure = RawDocumentBuf::new();
        failure.append(cstr!("index"), place(index));
        error.describe(&mut failure);
        self.errors.push(failure);
        self.failed = true;
    }

    /// The reply: `ok: 1` also where statements failed, with `writeErrors` then.
    pub(super) fn reply(self, more: impl FnOnce(&mut RawDocumentBuf)) -> RawDocumentBuf {
        let mut reply = RawDocumentBuf::new();
        reply.append(cstr!("n"), self.n);
        more(&mut reply);
        if self.failed {
            reply.append(cstr!("writeErrors"), self.errors);
        }
        finish(reply)
    }
}

/// The place of a statement, as replies name it.
pub(super) fn place(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}
