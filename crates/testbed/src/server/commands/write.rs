use bson::{RawArrayBuf, RawDocumentBuf, raw::cstr};

use super::{error::CommandError, finish};

/// Collects what became of the statements of one write command.
#[derive(Debug, Default)]
pub(super) struct WriteResult {
    /// Documents inserted, matched or deleted.
    pub(super) n: i32,
    errors: RawArrayBuf,
    failed: bool,
}

impl WriteResult {
    /// Runs `write` for each statement; one that fails is noted, and ends an `ordered` command.
    pub(super) fn collect<T>(
        ordered: bool,
        statements: impl IntoIterator<Item = T>,
        mut write: impl FnMut(T) -> Result<i32, WriteFailure>,
    ) -> Self {
        let mut result = Self::default();
        for (index, statement) in statements.into_iter().enumerate() {
            match write(statement) {
                Ok(n) => result.n = result.n.saturating_add(n),
                Err(failure) => {
                    result.fail(index, failure);
                    if ordered {
                        break;
                    }
                }
            }
        }
        result
    }

    fn fail(&mut self, index: usize, failure: WriteFailure) {
        let mut error = RawDocumentBuf::new();
        error.append(cstr!("index"), i32::try_from(index).unwrap_or(i32::MAX));
        error.append(cstr!("code"), failure.error.code);
        error.append(cstr!("codeName"), failure.error.code_name());
        if let Some(key) = failure.duplicate {
            let mut pattern = RawDocumentBuf::new();
            pattern.append(cstr!("_id"), 1);
            error.append(cstr!("keyPattern"), pattern);
            error.append(cstr!("keyValue"), key);
        }
        error.append(cstr!("errmsg"), failure.error.message);
        self.errors.push(error);
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

/// Why one statement failed.
#[derive(Debug)]
pub(super) struct WriteFailure {
    error: CommandError,
    /// The `_id` that is taken, as a document.
    duplicate: Option<RawDocumentBuf>,
}

impl WriteFailure {
    pub(super) fn duplicate(namespace: &str, key: RawDocumentBuf) -> Self {
        let shown = bson::Document::try_from(key.clone())
            .map(|key| key.to_string())
            .unwrap_or_default();
        let message =
            format!("E11000 duplicate key error collection: {namespace} index: _id_ dup key: {shown}");
        Self {
            error: CommandError {
                code: CommandError::DUPLICATE_KEY,
                message,
            },
            duplicate: Some(key),
        }
    }
}

impl<E: Into<CommandError>> From<E> for WriteFailure {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            duplicate: None,
        }
    }
}
