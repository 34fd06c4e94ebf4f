//! Dotted paths, and the values that they lead to.

use bson::{RawArray, RawBsonRef, RawDocument};

/// A dotted path such as `address.city`. An empty one leads to the value that it starts from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(Vec<Box<str>>);

/// What a path leads to: a value, or none where a field on the way is missing.
pub type Found<'a> = Option<RawBsonRef<'a>>;

impl Path {
    /// Reads a path; an empty one and empty names between dots are allowed, and lead to fields of that name.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.split('.').map(Box::from).collect())
    }

    /// The path to the value itself.
    #[must_use]
    pub fn here() -> Self {
        Self::default()
    }

    /// Its names.
    #[must_use]
    pub fn names(&self) -> &[Box<str>] {
        &self.0
    }

    /// Whether it is the one name `name`.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        matches!(self.0.as_slice(), [only] if &**only == name)
    }

    /// Shows what the path leads to from `root` until `visit` is content; gives whether it was.
    ///
    /// An array on the way stands for each document in it, and for the element whose number comes next in the path.
    pub fn any<'a>(&self, root: RawBsonRef<'a>, visit: &mut dyn FnMut(Found<'a>) -> bool) -> bool {
        walk(root, &self.0, visit)
    }

    /// Like [`Path::any`], but an array at the end stands for each of its elements as well as for itself.
    pub fn any_element<'a>(&self, root: RawBsonRef<'a>, visit: &mut dyn FnMut(Found<'a>) -> bool) -> bool {
        self.any(root, &mut |found| {
            visit(found)
                || matches!(found, Some(RawBsonRef::Array(array)) if elements(array).any(|element| visit(Some(element))))
        })
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// The elements of an array.
pub fn elements(array: &RawArray) -> impl Iterator<Item = RawBsonRef<'_>> {
    array.into_iter().filter_map(Result::ok)
}

fn walk<'a>(value: RawBsonRef<'a>, path: &[Box<str>], visit: &mut dyn FnMut(Found<'a>) -> bool) -> bool {
    let Some((name, rest)) = path.split_first() else {
        return visit(Some(value));
    };
    match value {
        RawBsonRef::Document(document) => field(document, name, rest, visit),
        RawBsonRef::Array(array) => {
            let numbered = position(name).and_then(|index| array.get(index).ok().flatten());
            // Where the name is that of an element, only documents that have it as a field are meant beside.
            let meant =
                |document: &&RawDocument| numbered.is_none() || matches!(document.get(name), Ok(Some(_)));
            numbered.is_some_and(|element| walk(element, rest, visit))
                || elements(array)
                    .filter_map(RawBsonRef::as_document)
                    .filter(meant)
                    .any(|document| field(document, name, rest, visit))
        }
        _ => visit(None),
    }
}

fn field<'a>(
    document: &'a RawDocument,
    name: &str,
    rest: &[Box<str>],
    visit: &mut dyn FnMut(Found<'a>) -> bool,
) -> bool {
    match document.get(name) {
        Ok(Some(value)) => walk(value, rest, visit),
        _ => visit(None),
    }
}

/// The number that a name is, if it can be a place in an array.
#[must_use]
pub fn position(name: &str) -> Option<usize> {
    let canonical = name == "0" || !name.starts_with('0');
    (canonical && name.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| name.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use bson::{Bson, RawDocumentBuf, doc};

    use super::*;

    fn found(document: &bson::Document, path: &str) -> Vec<Bson> {
        let document = RawDocumentBuf::try_from(document).unwrap();
        let mut found = Vec::new();
        Path::new(path).any_element(RawBsonRef::Document(&document), &mut |value| {
            found.push(value.map_or(Bson::Undefined, |value| value.try_into().unwrap()));
            false
        });
        found
    }

    #[test]
    fn paths_lead_through_documents_and_arrays() {
        let document = doc! { "a": { "b": 1 }, "list": [{ "b": 2 }, 3, { "b": [4, 5] }, {}], "s": "x" };
        let list =
            |values: &[i32]| Bson::from(values.iter().map(|value| Bson::from(*value)).collect::<Vec<_>>());
        assert_eq!(found(&document, "a.b"), [Bson::from(1)]);
        assert_eq!(
            found(&document, "list.b"),
            [2.into(), list(&[4, 5]), 4.into(), 5.into(), Bson::Undefined]
        );
        assert_eq!(found(&document, "list.0.b"), [Bson::from(2)]);
        assert_eq!(found(&document, "list.2.b.1"), [Bson::from(5)]);
        assert_eq!(found(&document, "s.b"), [Bson::Undefined]);
        assert_eq!(found(&document, "none"), [Bson::Undefined]);
        assert_eq!(found(&document, "list.1"), [Bson::from(3)]);
    }
}
