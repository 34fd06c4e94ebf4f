use std::{
    collections::BTreeSet,
    ops::Bound,
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use bson::{RawBsonRef, RawDocument, RawDocumentBuf, raw::CString};

use super::{
    definition::Definition,
    documents::{Duplicate, WriteError},
};
use crate::server::storage::{DocumentKey, order, path::Path};

/// The indexed values of a document, encoded one after the other, and its key.
pub type Entry = (Box<[u8]>, DocumentKey);

/// The values that one document has in an index; an array has one for each element and one for itself.
pub(super) type Values = BTreeSet<Box<[u8]>>;

/// Values from one up to, and without, another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The first.
    pub from: Vec<u8>,
    /// The first one past it.
    pub to: Vec<u8>,
}

/// A secondary index: entries in order.
#[derive(Debug)]
pub struct Index {
    definition: Definition,
    entries: RwLock<BTreeSet<Entry>>,
    /// Whether a document may have more than one entry.
    multikey: AtomicBool,
}

impl Index {
    pub(super) fn new(definition: Definition) -> Self {
        Self {
            definition,
            entries: RwLock::default(),
            multikey: AtomicBool::new(false),
        }
    }

    /// What it is over.
    #[must_use]
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The field that its entries are ordered by first.
    #[must_use]
    pub fn first_field(&self) -> Option<&Path> {
        self.definition.fields.first()
    }

    /// Whether every document has an entry.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.definition.sparse
    }

    /// Whether a document may have more than one entry.
    #[must_use]
    pub fn is_multikey(&self) -> bool {
        self.multikey.load(Ordering::Relaxed)
    }

    /// Up to `limit` entries in `range`, those after `last` if that is given.
    #[must_use]
    pub fn entries(&self, range: &KeyRange, last: Option<&Entry>, limit: usize) -> Vec<Entry> {
        let from = last.map_or_else(
            || Bound::Included((range.from.clone().into(), DocumentKey::below_all())),
            |last| Bound::Excluded(last.clone()),
        );
        let to = (Box::from(range.to.as_slice()), DocumentKey::below_all());
        // A range whose ends are the wrong way round is empty, and a panic to ask for.
        if range.from >= range.to || last.is_some_and(|last| *last >= to) {
            return Vec::new();
        }
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries
            .range((from, Bound::Excluded(to)))
            .take(limit)
            .cloned()
            .collect()
    }

    /// The document's values.
    ///
    /// # Errors
    /// If more than one field is an array.
    pub(super) fn values(&self, document: &RawDocument) -> Result<Values, WriteError> {
        let root = RawBsonRef::Document(document);
        let mut values = Values::from([Box::default()]);
        let (mut missing, mut arrays) = (0, 0);
        for field in &self.definition.fields {
            let mut own = Values::new();
            let mut found_any = false;
            field.any_element(root, &mut |found| {
                found_any |= found.is_some();
                own.insert(order::encoded(found.unwrap_or(RawBsonRef::Null)).into());
                false
            });
            if own.is_empty() {
                own.insert(order::NULL.into());
            }
            missing += usize::from(!found_any);
            arrays += usize::from(own.len() > 1);
            values = values
                .iter()
                .flat_map(|head| own.iter().map(move |tail| [&**head, &**tail].concat().into()))
                .collect();
            if arrays > 1 {
                return Err(WriteError::ParallelArrays(self.definition.name.clone()));
            }
        }
        if self.definition.sparse && missing == self.definition.fields.len() {
            values.clear();
        }
        Ok(values)
    }

    /// Adds entries for the document, all or none.
    ///
    /// # Errors
    /// If it is unique and another document has one of the values.
    pub(super) fn add(
        &self,
        key: &DocumentKey,
        values: &Values,
        namespace: &str,
        document: &RawDocument,
    ) -> Result<(), WriteError> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if self.definition.unique
            && let Some(taken) = values.iter().find(|value| is_taken(&entries, value, key))
        {
            return Err(WriteError::Duplicate(Box::new(
                self.duplicate(namespace, document, taken),
            )));
        }
        if values.len() > 1 {
            self.multikey.store(true, Ordering::Relaxed);
        }
        entries.extend(values.iter().map(|value| (value.clone(), key.clone())));
        Ok(())
    }

    pub(super) fn remove<'a>(&self, key: &DocumentKey, values: impl Iterator<Item = &'a Box<[u8]>>) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        for value in values {
            entries.remove(&(value.clone(), key.clone()));
        }
    }

    pub(super) fn clear(&self) {
        self.entries
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    fn duplicate(&self, namespace: &str, document: &RawDocument, taken: &[u8]) -> Duplicate {
        let mut value = RawDocumentBuf::new();
        for field in &self.definition.fields {
            let Ok(name) = CString::try_from(field.to_string()) else {
                continue;
            };
            let mut shown = RawBsonRef::Null;
            field.any_element(RawBsonRef::Document(document), &mut |found| {
                shown = found.unwrap_or(RawBsonRef::Null);
                // Of an array, the element that is taken; it is told by its bytes where the index is over one field.
                order::encoded(shown) == taken || self.definition.fields.len() > 1
            });
            value.append(name, shown);
        }
        Duplicate {
            namespace: namespace.to_owned(),
            index: self.definition.name.clone(),
            pattern: self.definition.key.clone(),
            value,
        }
    }
}

fn is_taken(entries: &BTreeSet<Entry>, value: &[u8], by_other_than: &DocumentKey) -> bool {
    entries
        .range((value.into(), DocumentKey::below_all())..)
        .take_while(|(found, _)| **found == *value)
        .any(|(_, key)| key != by_other_than)
}
