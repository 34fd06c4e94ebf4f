use bson::{RawBsonRef, RawDocument};

use super::error::CommandError;
use crate::{server::Services, wire::OpMsg};

/// One command and what it runs on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    pub(super) services: &'a Services,
    pub(super) message: &'a OpMsg<'a>,
    /// The command's name, as the client wrote it.
    pub(super) name: &'a str,
    database: &'a str,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        services: &'a Services,
        message: &'a OpMsg<'a>,
        name: &'a str,
    ) -> Result<Self, CommandError> {
        let database = message
            .body
            .get_str("$db")
            .map_err(|_absent| CommandError::missing_database())?;
        Ok(Self {
            services,
            message,
            name,
            database,
        })
    }

    pub(super) fn body(&self) -> &'a RawDocument {
        self.message.body
    }

    /// `database.collection`, with the collection that the command names.
    pub(super) fn namespace(&self) -> Result<String, CommandError> {
        let collection = self.body().get_str(self.name).map_err(|_absent| {
            CommandError::namespace(format!("{}: expected a collection's name", self.name))
        })?;
        if collection.is_empty() || self.database.is_empty() {
            return Err(CommandError::namespace(
                "expected a database and a collection that are not empty",
            ));
        }
        Ok(format!("{}.{collection}", self.database))
    }

    /// The documents of a write command: a sequence of its own, or an array in the body.
    pub(super) fn documents(&self, field: &str) -> Result<Vec<&'a RawDocument>, CommandError> {
        if let Some(documents) = self.message.sequence(field) {
            return Ok(documents.to_vec());
        }
        let expected = || CommandError::mismatch(field, "an array of documents");
        let array = self.body().get_array(field).map_err(|_absent| expected())?;
        array
            .into_iter()
            .map(|element| element?.as_document().ok_or_else(expected))
            .collect()
    }

    /// A flag that may be absent.
    pub(super) fn flag(&self, field: &str, default: bool) -> Result<bool, CommandError> {
        match self.body().get(field)? {
            None => Ok(default),
            Some(RawBsonRef::Boolean(flag)) => Ok(flag),
            Some(_) => Err(CommandError::mismatch(field, "true or false")),
        }
    }

    /// A whole number that may be absent.
    pub(super) fn integer(&self, field: &str) -> Result<Option<i64>, CommandError> {
        self.body()
            .get(field)?
            .map(|value| integer(field, value))
            .transpose()
    }

    /// A document that may be absent.
    pub(super) fn document(&self, field: &str) -> Result<&'a RawDocument, CommandError> {
        document(self.body(), field)
    }
}

/// The document in `field` of `parent`; an empty one if it is absent.
pub(super) fn document<'a>(parent: &'a RawDocument, field: &str) -> Result<&'a RawDocument, CommandError> {
    match parent.get(field)? {
        None => Ok(empty()),
        Some(RawBsonRef::Document(document)) => Ok(document),
        Some(_) => Err(CommandError::mismatch(field, "a document")),
    }
}

/// A whole number of any of BSON's number types.
pub(super) fn integer(field: &str, value: RawBsonRef<'_>) -> Result<i64, CommandError> {
    match value {
        RawBsonRef::Int32(number) => Ok(i64::from(number)),
        RawBsonRef::Int64(number) => Ok(number),
        #[allow(clippy::cast_possible_truncation, reason = "integral, and `as` saturates")]
        RawBsonRef::Double(number) if number.fract() == 0.0 => Ok(number as i64),
        _ => Err(CommandError::mismatch(field, "a whole number")),
    }
}

fn empty() -> &'static RawDocument {
    const EMPTY: &[u8] = &[5, 0, 0, 0, 0];
    static DOCUMENT: std::sync::LazyLock<bson::RawDocumentBuf> =
        std::sync::LazyLock::new(|| bson::RawDocumentBuf::from_bytes(EMPTY.to_vec()).unwrap_or_default());
    &DOCUMENT
}
