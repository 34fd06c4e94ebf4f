//! Changes the documents that a filter finds, or inserts one where it finds none.

use std::{cell::RefCell, ops::ControlFlow};

use bson::{RawDocument, RawDocumentBuf};

use super::{
    change::Change,
    error::CommandError,
    insert::insert,
    query::{self, Filter, Sort},
};
use crate::server::{
    Services,
    storage::{DocumentKey, StorageError, Updated},
};

/// Times that an upsert looks again, because what it was about to insert came in between.
const UPSERT_RETRIES: usize = 10;

/// One statement of an update.
#[derive(Debug)]
pub(super) struct Statement<'a> {
    pub(super) query: &'a RawDocument,
    pub(super) filter: Filter,
    pub(super) sort: Sort,
    pub(super) change: Change<'a>,
    pub(super) upsert: bool,
}

/// What became of it.
#[derive(Debug, Default)]
pub(super) struct Modified {
    pub(super) matched: i32,
    pub(super) changed: i32,
    /// The document that was inserted.
    pub(super) upserted: Option<RawDocumentBuf>,
    /// The document before and after, where one was found and they were asked for.
    pub(super) images: Option<Images>,
}

#[derive(Debug)]
pub(super) struct Images {
    pub(super) before: RawDocumentBuf,
    pub(super) after: RawDocumentBuf,
}

impl Statement<'_> {
    /// Changes the first document that matches; gives its images if they are asked for.
    pub(super) fn one(
        &self,
        services: &Services,
        namespace: &str,
        images: bool,
    ) -> Result<Modified, CommandError> {
        let mut left = UPSERT_RETRIES;
        loop {
            let modified = self.first(services, namespace, images)?;
            if modified.matched > 0 || !self.upsert {
                return Ok(modified);
            }
            let inserted = self.insert(services, namespace);
            let again = matches!(&inserted, Err(error) if error.duplicate.is_some()) && left > 0;
            if !again {
                return inserted;
            }
            left -= 1;
        }
    }

    /// Changes all documents that match.
    pub(super) fn all(&self, services: &Services, namespace: &str) -> Result<Modified, CommandError> {
        let mut modified = Modified::default();
        for key in keys(services, namespace, &self.filter)? {
            let one = self.at(services, namespace, &key, false)?;
            modified.matched = modified.matched.saturating_add(one.matched);
            modified.changed = modified.changed.saturating_add(one.changed);
        }
        if modified.matched == 0 && self.upsert {
            return self.insert(services, namespace);
        }
        Ok(modified)
    }

    fn first(&self, services: &Services, namespace: &str, images: bool) -> Result<Modified, CommandError> {
        if let Filter::Id(key) = &self.filter {
            return self.at(services, namespace, key, images);
        }
        // What was found may have changed or gone before it is written; then another one may match.
        while let Some(key) = first_key(services, namespace, &self.filter, &self.sort)? {
            let modified = self.at(services, namespace, &key, images)?;
            if modified.matched > 0 {
                return Ok(modified);
            }
        }
        Ok(Modified::default())
    }

    /// Changes the document with this key, if it still matches.
    fn at(
        &self,
        services: &Services,
        namespace: &str,
        key: &DocumentKey,
        images: bool,
    ) -> Result<Modified, CommandError> {
        let seen = RefCell::new(Seen::default());
        let updated = services.documents().update(namespace, key, &|document| {
            let mut seen = seen.borrow_mut();
            seen.other = !self.filter.matches(document);
            if seen.other {
                return Ok(None);
            }
            let changed = self.change.apply(document).map_err(StorageError::from)?;
            if images {
                let after = changed.clone().unwrap_or_else(|| document.to_owned());
                seen.images = Some(Images {
                    before: document.to_owned(),
                    after,
                });
            }
            Ok(changed)
        })?;
        services.background.leftovers().leave();
        let seen = seen.into_inner();
        let matched = updated != Updated::Missing && !seen.other;
        Ok(Modified {
            matched: i32::from(matched),
            changed: i32::from(updated == Updated::Changed),
            upserted: None,
            images: seen.images.filter(|_| matched),
        })
    }

    fn insert(&self, services: &Services, namespace: &str) -> Result<Modified, CommandError> {
        let document = self.change.insert(self.query)?;
        let with_id = insert(services, namespace, &document)?;
        Ok(Modified {
            upserted: Some(with_id.unwrap_or(document)),
            ..Modified::default()
        })
    }
}

#[derive(Debug, Default)]
struct Seen {
    /// The document no longer matches.
    other: bool,
    images: Option<Images>,
}

/// The key of the document that matches and comes first.
pub(super) fn first_key(
    services: &Services,
    namespace: &str,
    filter: &Filter,
    sort: &Sort,
) -> Result<Option<DocumentKey>, CommandError> {
    let mut first: Option<(Vec<u8>, DocumentKey)> = None;
    query::each(services, namespace, filter, &mut |document| {
        let rank = sort.key(document);
        if first.as_ref().is_none_or(|(best, _)| rank < *best) {
            first = Some((rank, query::key_of(document)?));
        }
        Ok(if sort.is_empty() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    Ok(first.map(|(_, key)| key))
}

/// The keys of all documents that match.
pub(super) fn keys(
    services: &Services,
    namespace: &str,
    filter: &Filter,
) -> Result<Vec<DocumentKey>, CommandError> {
    let mut keys = Vec::new();
    query::each(services, namespace, filter, &mut |document| {
        keys.push(query::key_of(document)?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(keys)
}
