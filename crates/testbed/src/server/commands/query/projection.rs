use bson::{RawArrayBuf, RawBsonRef, RawDocument, RawDocumentBuf};

use crate::server::{commands::error::CommandError, storage::path::elements};

/// What of a document is shown.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::server::commands) enum Projection {
    /// All of it.
    Whole,
    /// The fields of the tree, and `_id` unless that is left out.
    Only(Tree),
    /// All but the fields of the tree.
    Without(Tree),
}

/// Paths, by their first names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::server::commands) struct Tree(Vec<(Box<str>, Node)>);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Field,
    Inside(Tree),
}

impl Projection {
    /// Reads `{a: 1, "b.c": 1}` or `{a: 0}`; `_id` may differ from the rest.
    pub(in crate::server::commands) fn parse(fields: &RawDocument) -> Result<Self, CommandError> {
        let mut tree = Tree::default();
        let (mut shown, mut id_shown) = (None, None);
        for field in fields {
            let (name, value) = field?;
            let (name, show) = (name.as_str(), flag(name.as_str(), value)?);
            if name == "_id" {
                id_shown = Some(show);
                continue;
            }
            if *shown.get_or_insert(show) != show {
                return Err(CommandError::mixed_projection(name, show));
            }
            tree.add(name)?;
        }
        let id = |tree: &mut Tree| tree.0.insert(0, ("_id".into(), Node::Field));
        match (shown, id_shown) {
            (None, None) => Ok(Self::Whole),
            (Some(true), Some(false)) => Ok(Self::Only(tree)),
            (Some(true), _) | (None, Some(true)) => {
                id(&mut tree);
                Ok(Self::Only(tree))
            }
            (Some(false) | None, Some(false)) => {
                id(&mut tree);
                Ok(Self::Without(tree))
            }
            (Some(false), _) => Ok(Self::Without(tree)),
        }
    }

    /// Like [`Projection::parse`], where other fields are added: nothing is shown that is not named.
    pub(in crate::server::commands) fn parse_only(fields: &RawDocument) -> Result<Self, CommandError> {
        match Self::parse(fields)? {
            Self::Whole => {
                let mut tree = Tree::default();
                tree.add("_id")?;
                Ok(Self::Only(tree))
            }
            Self::Without(tree) if tree.is_id() => Ok(Self::Only(Tree::default())),
            Self::Without(_) => Err(CommandError::mixed_projection("made", true)),
            only @ Self::Only(_) => Ok(only),
        }
    }

    /// The shown part of `document`.
    pub(in crate::server::commands) fn apply(
        &self,
        document: &RawDocument,
    ) -> Result<RawDocumentBuf, CommandError> {
        match self {
            Self::Whole => Ok(document.to_owned()),
            Self::Only(tree) => tree.pick(document, true),
            Self::Without(tree) => tree.pick(document, false),
        }
    }
}

impl Tree {
    fn is_id(&self) -> bool {
        matches!(self.0.as_slice(), [(name, Node::Field)] if &**name == "_id")
    }

    fn add(&mut self, path: &str) -> Result<(), CommandError> {
        let (name, rest) = match path.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        if name.is_empty() || name.starts_with('$') {
            return Err(CommandError::bad_value(format!(
                "projection of '{path}': expected names of fields, parted by dots"
            )));
        }
        let known = self.0.iter_mut().find(|(known, _)| &**known == name);
        match (known, rest) {
            (None, None) => self.0.push((name.into(), Node::Field)),
            (None, Some(rest)) => {
                let mut inside = Self::default();
                inside.add(rest)?;
                self.0.push((name.into(), Node::Inside(inside)));
            }
            (Some((_, Node::Inside(inside))), Some(rest)) => inside.add(rest)?,
            (Some(_), _) => return Err(CommandError::path_collision(path)),
        }
        Ok(())
    }

    /// The part of `document` that is in the tree, or that is not.
    fn pick(&self, document: &RawDocument, inside: bool) -> Result<RawDocumentBuf, CommandError> {
        let mut picked = RawDocumentBuf::new();
        for field in document {
            let (name, value) = field?;
            let node = self.0.iter().find(|(known, _)| **known == *name.as_str());
            match node {
                Some((_, Node::Inside(tree))) => match value {
                    RawBsonRef::Document(value) => picked.append(name, tree.pick(value, inside)?),
                    RawBsonRef::Array(array) => {
                        picked.append(name, tree.pick_each(elements(array), inside)?);
                    }
                    other if !inside => picked.append(name, other),
                    _ => {}
                },
                found => {
                    if found.is_some() == inside {
                        picked.append(name, value);
                    }
                }
            }
        }
        Ok(picked)
    }

    fn pick_each<'a>(
        &self,
        elements: impl Iterator<Item = RawBsonRef<'a>>,
        inside: bool,
    ) -> Result<RawArrayBuf, CommandError> {
        let mut picked = RawArrayBuf::new();
        for element in elements {
            match element {
                RawBsonRef::Document(document) => picked.push(self.pick(document, inside)?),
                RawBsonRef::Array(array) => {
                    picked.push(self.pick_each(array.into_iter().filter_map(Result::ok), inside)?);
                }
                other if !inside => picked.push(other),
                _ => {}
            }
        }
        Ok(picked)
    }
}

fn flag(name: &str, value: RawBsonRef<'_>) -> Result<bool, CommandError> {
    match value {
        RawBsonRef::Boolean(show) => Ok(show),
        RawBsonRef::Int32(number) => Ok(number != 0),
        RawBsonRef::Int64(number) => Ok(number != 0),
        RawBsonRef::Double(number) => Ok(number != 0.0),
        _ => Err(CommandError::bad_value(format!(
            "projection of '{name}': expected a number, true or false"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc};

    use super::*;

    fn parse(fields: &Document) -> Result<Projection, CommandError> {
        Projection::parse(&RawDocumentBuf::try_from(fields).unwrap())
    }

    #[test]
    fn fields_are_shown_or_left_out() {
        let document =
            doc! { "_id": 1, "a": 2, "b": { "c": 3, "d": 4 }, "l": [{ "c": 5, "d": 6 }, 7, [{ "c": 8 }]] };
        for (fields, expected) in [
            (doc! {}, document.clone()),
            (doc! { "a": 1 }, doc! { "_id": 1, "a": 2 }),
            (doc! { "_id": 1 }, doc! { "_id": 1 }),
            (doc! { "_id": 0, "a": true }, doc! { "a": 2 }),
            (doc! { "b.c": 1 }, doc! { "_id": 1, "b": { "c": 3 } }),
            (
                doc! { "l.c": 1, "_id": 0 },
                doc! { "l": [{ "c": 5 }, [{ "c": 8 }]] },
            ),
            (doc! { "a.x": 1 }, doc! { "_id": 1 }),
            (doc! { "_id": 0, "l": 0, "b": 0 }, doc! { "a": 2 }),
            (
                doc! { "_id": 0, "l": 0, "b.d": 0 },
                doc! { "a": 2, "b": { "c": 3 } },
            ),
            (
                doc! { "_id": 0, "a": 0, "b": 0, "l.c": 0 },
                doc! { "l": [{ "d": 6 }, 7, [{}]] },
            ),
        ] {
            let raw = RawDocumentBuf::try_from(&document).unwrap();
            let shown = parse(&fields).unwrap().apply(&raw).unwrap();
            assert_eq!(Document::try_from(shown).unwrap(), expected, "{fields}");
        }
    }

    #[test]
    fn contradictions_are_refused() {
        for fields in [
            doc! { "a": 1, "b": 0 },
            doc! { "a": 1, "a.b": 1 },
            doc! { "a.b": 1, "a": 1 },
            doc! { "a": { "$slice": 1 } },
            doc! { "a.$": 1 },
            doc! { "": 1 },
        ] {
            assert!(parse(&fields).is_err(), "{fields}");
        }
    }
}
