use bson::{Bson, RawBson, RawBsonRef, RawDocument, RawDocumentBuf, raw::CString};

use super::action::Action;
use crate::server::{
    commands::error::CommandError,
    storage::path::{Path, position},
};

/// Deepest path that an update takes; a document nests no deeper than that and what is put there.
const MAX_PATH: usize = 100;
/// Longest gap that setting one element of an array may fill with nulls.
const MAX_GAP: usize = 10_000;

/// Update operators, by the paths that they act on.
#[derive(Clone, Debug)]
pub(in crate::server::commands) struct Operators {
    /// In the order of their paths, which is the one in which MongoDB adds new fields.
    operations: Vec<Operation>,
}

#[derive(Clone, Debug)]
struct Operation {
    path: Path,
    action: Action,
    /// Whether it counts only where the document is new.
    on_insert: bool,
}

impl Operators {
    /// Reads `{$set: {path: value}, $inc: {path: 1}, ...}`.
    pub(super) fn parse(update: &RawDocument) -> Result<Self, CommandError> {
        let mut operations = Vec::new();
        for operator in update {
            let (operator, fields) = operator?;
            let operator = operator.as_str();
            let fields = fields.as_document().ok_or_else(|| {
                CommandError::parse(format!("{operator}: expected a document of fields and values"))
            })?;
            for field in fields {
                let (path, operand) = field?;
                operations.push(Operation {
                    path: path_of(operator, path.as_str())?,
                    action: Action::parse(operator, operand)?,
                    on_insert: operator == "$setOnInsert",
                });
            }
        }
        operations.sort_by(|one, other| one.path.names().cmp(other.path.names()));
        let mut neighbours = operations.windows(2);
        if let Some([_, inside]) = neighbours.find(|pair| match pair {
            [one, other] => other.path.names().starts_with(one.path.names()),
            _ => false,
        }) {
            return Err(CommandError::conflicting_updates(&inside.path.to_string()));
        }
        Ok(Self { operations })
    }

    /// The changed document, or `None` if nothing changes. Fields keep their places; new ones come last.
    pub(super) fn apply(
        &self,
        document: &RawDocument,
        inserting: bool,
    ) -> Result<Option<RawDocumentBuf>, CommandError> {
        let mut changed = RawDocumentBuf::new();
        let mut differs = false;
        let mut met = vec![false; self.operations.len()];
        for field in document {
            let (name, old) = field?;
            let concerned = self.on(name.as_str());
            if concerned.is_empty() {
                changed.append(name, old);
                continue;
            }
            for flag in met.get_mut(concerned.clone()).unwrap_or_default() {
                *flag = true;
            }
            let new = self.carry_out(concerned, Some(Bson::try_from(old)?), inserting)?;
            let new = new.map(RawBson::try_from).transpose()?;
            if new.as_ref().map(RawBson::as_raw_bson_ref) != Some(old) {
                if name.as_str() == "_id" {
                    return Err(CommandError::immutable_id());
                }
                differs = true;
            }
            if let Some(new) = new {
                changed.append(name, new);
            }
        }
        let mut at = 0;
        while let Some(operation) = self.operations.get(at) {
            let name = first(&operation.path);
            let concerned = self.on(name);
            let next = concerned.end;
            if met.get(at) == Some(&false)
                && let Some(new) = self.carry_out(concerned, None, inserting)?
            {
                if name == "_id" && !inserting {
                    return Err(CommandError::immutable_id());
                }
                differs = true;
                changed.append(CString::try_from(name)?, RawBson::try_from(new)?);
            }
            at = next;
        }
        Ok(differs.then_some(changed))
    }

    /// Which operations act on the field `name` or inside it.
    fn on(&self, name: &str) -> std::ops::Range<usize> {
        let begin = self
            .operations
            .partition_point(|operation| first(&operation.path) < name);
        let end = self
            .operations
            .partition_point(|operation| first(&operation.path) <= name);
        begin..end
    }

    fn carry_out(
        &self,
        which: std::ops::Range<usize>,
        mut value: Option<Bson>,
        inserting: bool,
    ) -> Result<Option<Bson>, CommandError> {
        for operation in self.operations.get(which).unwrap_or_default() {
            if operation.on_insert && !inserting {
                continue;
            }
            let rest = operation.path.names().get(1..).unwrap_or_default();
            value = act(value, rest, &operation.action)?;
        }
        Ok(value)
    }
}

/// What `action` makes of what `path` leads to inside `value`.
pub(super) fn act(
    value: Option<Bson>,
    path: &[Box<str>],
    action: &Action,
) -> Result<Option<Bson>, CommandError> {
    let Some((name, rest)) = path.split_first() else {
        return action.apply(value);
    };
    match value {
        None => Ok(act(None, rest, action)?.map(|new| {
            let mut document = bson::Document::new();
            document.insert(&**name, new);
            Bson::Document(document)
        })),
        Some(Bson::Document(mut document)) => {
            // Taken out and put back, it keeps its place.
            let old = document
                .get_mut(name)
                .map(|old| std::mem::replace(old, Bson::Null));
            match act(old, rest, action)? {
                Some(new) => drop(document.insert(&**name, new)),
                None => drop(document.remove(name)),
            }
            Ok(Some(Bson::Document(document)))
        }
        Some(Bson::Array(mut array)) if position(name).is_some() => {
            let index = position(name).unwrap_or_default();
            let old = array.get_mut(index).map(|old| std::mem::replace(old, Bson::Null));
            let missing = old.is_none();
            if let Some(new) = act(old, rest, action)? {
                if index > array.len() + MAX_GAP {
                    return Err(CommandError::bad_value(format!(
                        "element {index} of an array of {}: expected at most {MAX_GAP} further",
                        array.len()
                    )));
                }
                if missing {
                    array.resize(index, Bson::Null);
                    array.push(new);
                } else if let Some(place) = array.get_mut(index) {
                    *place = new;
                }
            }
            Ok(Some(Bson::Array(array)))
        }
        Some(other) if action.ignores_what_is_missing() => Ok(Some(other)),
        Some(other) => Err(CommandError::path_not_viable(format!(
            "Cannot create field '{name}' in element of type {:?}",
            other.element_type()
        ))),
    }
}

fn first(path: &Path) -> &str {
    path.names().first().map_or("", |name| name)
}

fn path_of(operator: &str, text: &str) -> Result<Path, CommandError> {
    let path = Path::new(text);
    let names = path.names();
    if names.iter().any(|name| name.is_empty() || name.starts_with('$')) || names.len() > MAX_PATH {
        return Err(CommandError::bad_value(format!(
            "{operator} '{text}': expected at most {MAX_PATH} names, parted by dots, without a dollar sign at their beginning"
        )));
    }
    Ok(path)
}

/// The value as one that can be changed.
pub(super) fn owned(value: RawBsonRef<'_>) -> Result<Bson, CommandError> {
    Ok(Bson::try_from(value)?)
}
