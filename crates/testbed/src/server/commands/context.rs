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
    pub(super) database: &'a str,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        services: &'a Services,
        message: &'a OpMsg<'a>,
        name: &'a str,
    ) -> Result<Self, CommandError> {
        let mut database = None;
        for field in message.body {
            match field? {
                (field, RawBsonRef::String(text)) if field.as_str() == "$db" => database = Some(text),
                (field, _) if field.as_str() == "startTransaction" => {
                    return Err(CommandError::no_transactions());
                }
                _ => {}
            }
        }
        let database = database.ok_or_else(CommandError::missing_database)?;
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
        self.namespace_in(self.name)
    }

    /// `database.collection`, with the collection that `field` names.
    pub(super) fn namespace_in(&self, field: &str) -> Result<String, CommandError> {
        let collection = self
            .body()
            .get_str(field)
            .map_err(|_absent| CommandError::namespace(format!("{field}: expected a collection's name")))?;
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
        flag(self.body(), field, default)
    }

    /// A whole number that may be absent.
    pub(super) fn integer(&self, field: &str) -> Result<Option<i64>, CommandError> {
        self.body()
            .get(field)?
            .map(|value| integer(field, value))
            .transpose()
    }

    /// A whole number that may be absent and is not negative.
    pub(super) fn natural(&self, field: &str) -> Result<Option<u64>, CommandError> {
        let number = self.integer(field)?;
        number.map(|number| natural(field, number)).transpose()
    }

    /// Documents of the first reply of a command whose result may have several: `{cursor: {batchSize: n}}`.
    pub(super) fn batch_size(&self) -> Result<Option<u64>, CommandError> {
        let size = self.document("cursor")?.get("batchSize")?;
        let size = size.map(|size| integer("batchSize", size)).transpose()?;
        size.map(|size| natural("batchSize", size)).transpose()
    }

    /// A document that may be absent.
    pub(super) fn document(&self, field: &str) -> Result<&'a RawDocument, CommandError> {
        document(self.body(), field)
    }
}

/// A flag in `parent` that may be absent.
pub(super) fn flag(parent: &RawDocument, field: &str, default: bool) -> Result<bool, CommandError> {
    parent
        .get(field)?
        .map_or(Ok(default), |value| as_flag(field, value))
}

/// The flag that `field` is; a number stands for one as well.
pub(super) fn as_flag(field: &str, value: RawBsonRef<'_>) -> Result<bool, CommandError> {
    match value {
        RawBsonRef::Boolean(flag) => Ok(flag),
        RawBsonRef::Int32(_) | RawBsonRef::Int64(_) | RawBsonRef::Double(_) => {
            Ok(integer(field, value)? != 0)
        }
        _ => Err(CommandError::mismatch(field, "true or false")),
    }
}

/// Refuses options that would change what a command does, and that this server does not know.
pub(super) fn refuse(parent: &RawDocument, options: &[&str]) -> Result<(), CommandError> {
    for option in options {
        if parent.get(option)?.is_some() {
            return Err(CommandError::unknown_option(option));
        }
    }
    Ok(())
}

/// A number that is not negative.
pub(super) fn natural(field: &str, number: i64) -> Result<u64, CommandError> {
    u64::try_from(number).map_err(|_negative| {
        CommandError::bad_value(format!(
            "field '{field}': expected a number that is not negative, found {number}"
        ))
    })
}

/// The document in `field` of `parent`; an empty one if it is absent.
pub(super) fn document<'a>(parent: &'a RawDocument, field: &str) -> Result<&'a RawDocument, CommandError> {
    parent
        .get(field)?
        .map_or(Ok(empty()), |value| as_document(field, value))
}

/// The document that `field` is.
pub(super) fn as_document<'a>(field: &str, value: RawBsonRef<'a>) -> Result<&'a RawDocument, CommandError> {
    value
        .as_document()
        .ok_or_else(|| CommandError::mismatch(field, "a document"))
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
