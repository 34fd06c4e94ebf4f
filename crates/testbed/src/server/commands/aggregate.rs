//! Pipelines: each document goes through the stages one after the other.

mod expression;
mod group;
mod project;
mod stage;

use std::{collections::VecDeque, ops::ControlFlow};

use bson::{RawBsonRef, RawDocument, RawDocumentBuf};

use self::stage::Stage;
use super::{
    change,
    context::{self, Context},
    cursors,
    error::CommandError,
    query::{self, Filter, Matcher},
};

/// Documents that a pipeline may end with, in bytes, since they are held until they are read.
const MAX_RESULT_BYTES: usize = 100 * 1024 * 1024;

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    context::refuse(context.body(), &["collation"])?;
    let stages = stages(context)?;
    if context.flag("explain", false)? {
        return Err(CommandError::bad_value("aggregate: expected no 'explain'"));
    }
    let batch_size = context.batch_size()?;
    if let Ok(collection) = context.body().get_str(context.name) {
        let namespace = format!("{}.{collection}", context.database);
        context.namespace()?;
        let results = results(context, &namespace, &stages)?;
        return cursors::begin(context.services, &namespace, results, batch_size);
    }
    // Of a database: only what is about the server itself.
    match stages.first() {
        Some((name, _)) if matches!(*name, "$currentOp" | "$listLocalSessions") => {
            let namespace = format!("{}.$cmd.aggregate", context.database);
            cursors::begin(context.services, &namespace, VecDeque::new(), batch_size)
        }
        _ => Err(CommandError::namespace(
            "aggregate: expected a collection's name, or the stage $currentOp",
        )),
    }
}

/// Names and operands of the stages.
fn stages<'a>(context: &Context<'a>) -> Result<Vec<(&'a str, RawBsonRef<'a>)>, CommandError> {
    let expected = || CommandError::mismatch("pipeline", "an array of documents with one field each");
    let pipeline = context
        .body()
        .get_array("pipeline")
        .map_err(|_absent| expected())?;
    let mut stages = Vec::new();
    for stage in pipeline {
        let mut fields = stage?.as_document().ok_or_else(expected)?.iter();
        match (fields.next().transpose()?, fields.next()) {
            (Some((name, operand)), None) => stages.push((name.as_str(), operand)),
            _ => return Err(expected()),
        }
    }
    Ok(stages)
}

fn results(
    context: &Context<'_>,
    namespace: &str,
    stages: &[(&str, RawBsonRef<'_>)],
) -> Result<VecDeque<RawDocumentBuf>, CommandError> {
    // What the pipeline begins by leaving out need not be looked at, where an index helps.
    let (filter, rest) = match stages.split_first() {
        Some((("$match", RawBsonRef::Document(filter)), rest)) => (Filter::parse(filter)?, rest),
        _ => (Filter::All, stages),
    };
    let rest = rest
        .iter()
        .map(|(name, operand)| Stage::parse(name, *operand))
        .collect::<Result<Vec<_>, _>>()?;
    let mut pipeline = Pipeline {
        stages: rest,
        results: VecDeque::new(),
        bytes: 0,
    };
    query::each(context.services, namespace, &filter, &mut |document| {
        pipeline.push(0, document)
    })?;
    pipeline.finish()?;
    Ok(pipeline.results)
}

/// Stages, and what has come out of the last one.
#[derive(Debug)]
struct Pipeline {
    stages: Vec<Stage>,
    results: VecDeque<RawDocumentBuf>,
    bytes: usize,
}

impl Pipeline {
    /// Sends a document into the stage `at`; says whether that can still make use of another one.
    fn push(&mut self, at: usize, document: &RawDocument) -> Result<ControlFlow<()>, CommandError> {
        let Some(stage) = self.stages.get_mut(at) else {
            self.bytes += document.as_bytes().len();
            if self.bytes > MAX_RESULT_BYTES {
                return Err(CommandError::sort_memory(MAX_RESULT_BYTES));
            }
            self.results.push_back(change::checked(document)?.to_owned());
            return Ok(ControlFlow::Continue(()));
        };
        match stage.take(document)? {
            stage::Taken::Nothing => Ok(ControlFlow::Continue(())),
            stage::Taken::Enough => Ok(ControlFlow::Break(())),
            stage::Taken::Unchanged => self.push(at + 1, document),
            stage::Taken::Last => {
                let _enough = self.push(at + 1, document)?;
                Ok(ControlFlow::Break(()))
            }
            stage::Taken::Changed(document) => self.push(at + 1, &document),
        }
    }

    /// Has the stages that need all documents send on what they make of them.
    fn finish(&mut self) -> Result<(), CommandError> {
        for at in 0..self.stages.len() {
            let held = self.stages.get_mut(at).map(Stage::finish).transpose()?;
            for document in held.unwrap_or_default() {
                if self.push(at + 1, &document)?.is_break() {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Documents for which a filter holds, as a stage in the middle of a pipeline.
fn matching(operand: RawBsonRef<'_>) -> Result<Matcher, CommandError> {
    let filter = operand
        .as_document()
        .ok_or_else(|| CommandError::mismatch("$match", "a document"))?;
    Matcher::parse(filter)
}
