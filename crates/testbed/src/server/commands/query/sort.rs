use bson::{RawBsonRef, RawDocument, RawDocumentBuf};

use crate::server::{
    commands::{context, error::CommandError},
    storage::{
        order::{self, tag},
        path::{Path, elements},
    },
};

/// Documents that one sort holds, in bytes: as in MongoDB, which goes to disk beyond only if allowed to.
const MAX_BYTES: usize = 100 * 1024 * 1024;
/// Ends a sort key; between the bytes that may follow a text which is the beginning of another.
const END: u8 = 0x7f;

/// An order of documents: fields, and whether they ascend. No fields keep the order in which documents are found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::server::commands) struct Sort(Vec<(Path, bool)>);

impl Sort {
    pub(in crate::server::commands) fn parse(fields: &RawDocument) -> Result<Self, CommandError> {
        let mut sort = Vec::new();
        for field in fields {
            let (name, value) = field?;
            let ascending = match context::integer(name.as_str(), value) {
                Ok(1) => true,
                Ok(-1) => false,
                _ => {
                    return Err(CommandError::bad_value(format!(
                        "sort by '{}': expected 1 or -1",
                        name.as_str()
                    )));
                }
            };
            sort.push((Path::new(name.as_str()), ascending));
        }
        Ok(Self(sort))
    }

    pub(in crate::server::commands) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes that compare as the documents are ordered.
    pub(in crate::server::commands) fn key(&self, document: &RawDocument) -> Vec<u8> {
        let mut key = Vec::new();
        for (path, ascending) in &self.0 {
            let part = part(path, *ascending, document);
            if *ascending {
                key.extend_from_slice(&part);
            } else {
                key.extend(part.iter().map(|byte| !byte));
            }
        }
        key.push(END);
        key
    }
}

/// What counts of a field: of an array, the least element, or the greatest where the order descends.
fn part(path: &Path, ascending: bool, document: &RawDocument) -> Vec<u8> {
    let mut best: Option<Vec<u8>> = None;
    let mut offer = |offered: Vec<u8>| {
        let better = best.as_ref().is_none_or(|best| (offered < *best) == ascending);
        if better {
            best = Some(offered);
        }
    };
    path.any(RawBsonRef::Document(document), &mut |found| {
        match found {
            Some(RawBsonRef::Array(array)) if array.is_empty() => offer(vec![tag::UNDEFINED]),
            Some(RawBsonRef::Array(array)) => {
                elements(array).for_each(|element| offer(order::encoded(element)));
            }
            found => offer(order::encoded(found.unwrap_or(RawBsonRef::Null))),
        }
        false
    });
    best.unwrap_or_else(|| order::NULL.to_vec())
}

/// Collects documents and gives them back in order.
#[derive(Debug)]
pub(in crate::server::commands) struct Sorted {
    sort: Sort,
    documents: Vec<(Vec<u8>, RawDocumentBuf)>,
    bytes: usize,
}

impl Sorted {
    pub(in crate::server::commands) fn by(sort: Sort) -> Self {
        Self {
            sort,
            documents: Vec::new(),
            bytes: 0,
        }
    }

    /// Takes a document; gives whether there was space for it.
    pub(in crate::server::commands) fn push(&mut self, document: &RawDocument) -> bool {
        let key = self.sort.key(document);
        self.bytes += key.len() + document.as_bytes().len();
        let fits = self.bytes <= MAX_BYTES;
        if fits {
            self.documents.push((key, document.to_owned()));
        }
        fits
    }

    /// The documents in order; those of equal rank stay as they came.
    ///
    /// # Errors
    /// If there was no space for all.
    pub(in crate::server::commands) fn take(
        &mut self,
    ) -> Result<impl Iterator<Item = RawDocumentBuf> + use<>, CommandError> {
        if self.bytes > MAX_BYTES {
            return Err(CommandError::sort_memory(MAX_BYTES));
        }
        let mut documents = std::mem::take(&mut self.documents);
        documents.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(documents.into_iter().map(|(_, document)| document))
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Document, doc};

    use super::*;

    fn sorted(sort: &Document, values: impl IntoIterator<Item = Document>) -> Vec<Bson> {
        let sort = Sort::parse(&RawDocumentBuf::try_from(sort).unwrap()).unwrap();
        let mut sorted = Sorted::by(sort);
        for document in values {
            assert!(sorted.push(&RawDocumentBuf::try_from(&document).unwrap()));
        }
        let ids = sorted
            .take()
            .unwrap()
            .map(|document| Document::try_from(document).unwrap());
        ids.map(|document| document.get("_id").unwrap().clone()).collect()
    }

    #[test]
    fn fields_sort_in_turn_and_equal_ones_stay() {
        let documents = || {
            [
                doc! { "_id": 1, "a": 2, "b": "x" },
                doc! { "_id": 2, "a": 1, "b": "" },
                doc! { "_id": 3, "a": 1, "b": "\0" },
                doc! { "_id": 4, "b": "x" },
                doc! { "_id": 5, "a": 1.0, "b": "" },
            ]
        };
        let ids = |ids: [i32; 5]| ids.map(Bson::from).to_vec();
        assert_eq!(
            sorted(&doc! { "a": 1, "b": 1 }, documents()),
            ids([4, 2, 5, 3, 1])
        );
        assert_eq!(
            sorted(&doc! { "a": -1, "b": -1 }, documents()),
            ids([1, 3, 2, 5, 4])
        );
        assert_eq!(sorted(&doc! {}, documents()), ids([1, 2, 3, 4, 5]));
    }

    #[test]
    fn of_an_array_the_end_counts_that_comes_first() {
        let documents = || {
            [
                doc! { "_id": 1, "a": [1, 9] },
                doc! { "_id": 2, "a": [5] },
                doc! { "_id": 3, "a": [] },
            ]
        };
        let ids = |ids: [i32; 3]| ids.map(Bson::from).to_vec();
        assert_eq!(sorted(&doc! { "a": 1 }, documents()), ids([3, 1, 2]));
        assert_eq!(sorted(&doc! { "a": -1 }, documents()), ids([1, 2, 3]));
    }

    #[test]
    fn only_the_two_directions_are_taken() {
        for sort in [
            doc! { "a": 0 },
            doc! { "a": "up" },
            doc! { "a": { "$meta": "textScore" } },
        ] {
            assert!(Sort::parse(&RawDocumentBuf::try_from(&sort).unwrap()).is_err());
        }
    }
}
