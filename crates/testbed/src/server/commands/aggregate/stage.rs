use bson::{RawBsonRef, RawDocument, RawDocumentBuf, raw::CString};

use super::{group::Group, project::Project};
use crate::server::commands::{
    context,
    error::CommandError,
    query::{Matcher, Sort, Sorted},
    whole,
};

/// A stage, and what it remembers of the documents so far.
#[derive(Debug)]
pub(super) enum Stage {
    Match(Matcher),
    Project(Project),
    Skip(u64),
    Limit(u64),
    Count(CString, u64),
    Sort(Sorted),
    Group(Group),
}

/// What a stage has made of a document.
#[derive(Debug)]
pub(super) enum Taken {
    /// It has kept it, or left it out.
    Nothing,
    /// It has left it out, as it will all others.
    Enough,
    Unchanged,
    /// Unchanged; all others will be left out.
    Last,
    Changed(RawDocumentBuf),
}

impl Stage {
    pub(super) fn parse(name: &str, operand: RawBsonRef<'_>) -> Result<Self, CommandError> {
        let document = || {
            operand
                .as_document()
                .ok_or_else(|| CommandError::mismatch(name, "a document"))
        };
        let natural = || context::natural(name, context::integer(name, operand)?);
        match name {
            "$match" => super::matching(operand).map(Self::Match),
            "$project" => Project::parse(document()?).map(Self::Project),
            "$skip" => natural().map(Self::Skip),
            "$limit" => match natural()? {
                0 => Err(CommandError::bad_value("$limit: expected a number above 0")),
                limit => Ok(Self::Limit(limit)),
            },
            "$count" => {
                let field = operand
                    .as_str()
                    .filter(|field| !field.is_empty() && !field.starts_with('$') && !field.contains('.'));
                let field =
                    field.ok_or_else(|| CommandError::bad_value("$count: expected the name of a field"))?;
                Ok(Self::Count(CString::try_from(field)?, 0))
            }
            "$sort" => Ok(Self::Sort(Sorted::by(Sort::parse(document()?)?))),
            "$group" => Group::parse(document()?).map(Self::Group),
            other => Err(CommandError::unrecognized_stage(format!(
                "Unrecognized pipeline stage name: '{other}'; expected $match, $project, $group, $sort, $skip, $limit or $count"
            ))),
        }
    }

    pub(super) fn take(&mut self, document: &RawDocument) -> Result<Taken, CommandError> {
        Ok(match self {
            Self::Match(matcher) if matcher.matches(RawBsonRef::Document(document)) => Taken::Unchanged,
            Self::Match(_) => Taken::Nothing,
            Self::Project(project) => Taken::Changed(project.apply(document)?),
            Self::Skip(0) => Taken::Unchanged,
            Self::Skip(left) => {
                *left -= 1;
                Taken::Nothing
            }
            Self::Limit(0) => Taken::Enough,
            Self::Limit(left) => {
                *left -= 1;
                if *left == 0 { Taken::Last } else { Taken::Unchanged }
            }
            Self::Count(_, count) => {
                *count += 1;
                Taken::Nothing
            }
            Self::Sort(sorted) => {
                if sorted.push(document) {
                    Taken::Nothing
                } else {
                    Taken::Enough
                }
            }
            Self::Group(group) => {
                group.add(document)?;
                Taken::Nothing
            }
        })
    }

    /// The documents that it has held back.
    pub(super) fn finish(&mut self) -> Result<Vec<RawDocumentBuf>, CommandError> {
        Ok(match self {
            Self::Count(field, count) if *count > 0 => {
                let mut document = RawDocumentBuf::new();
                document.append(&*field, whole(*count));
                vec![document]
            }
            Self::Sort(sorted) => sorted.take()?.collect(),
            Self::Group(group) => group.finish()?,
            _ => Vec::new(),
        })
    }
}
