use std::{collections::VecDeque, ops::ControlFlow};

use bson::{RawDocument, RawDocumentBuf};

use super::{
    context::{self, Context},
    cursors::{self, Batch, Cursor, FIRST_BATCH, Rest},
    error::CommandError,
    query::{self, Filter, Projection, Sort, Sorted},
};

/// What a `find` asks for.
#[derive(Debug)]
struct Find {
    filter: Filter,
    projection: Projection,
    sort: Sort,
    skip: u64,
    /// 0 for no limit.
    limit: u64,
    batch_size: Option<u64>,
    single_batch: bool,
}

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let namespace = context.namespace()?;
    let find = Find::parse(context.body())?;
    match &find.filter {
        Filter::Id(key) if find.skip == 0 && find.batch_size != Some(0) => {
            let mut batch = Batch::of(1);
            let mut projected = Ok(());
            context.services.engine.find(&namespace, key, &mut |document| {
                if find.projection == Projection::Whole {
                    batch.push(document);
                } else {
                    projected = find.projection.apply(document).map(|shown| {
                        batch.push(&shown);
                    });
                }
            })?;
            projected?;
            Ok(batch.first_reply(&namespace, 0))
        }
        _ if find.sort.is_empty() => find.unsorted(context, &namespace),
        _ => find.sorted(context, &namespace),
    }
}

impl Find {
    /// Reads the fields in one pass: this is on the way of every read.
    fn parse(body: &RawDocument) -> Result<Self, CommandError> {
        let mut find = Self {
            filter: Filter::All,
            projection: Projection::Whole,
            sort: Sort::default(),
            skip: 0,
            limit: 0,
            batch_size: None,
            single_batch: false,
        };
        for field in body {
            let (name, value) = field?;
            let name = name.as_str();
            match name {
                "filter" => find.filter = Filter::parse(context::as_document(name, value)?)?,
                "projection" => find.projection = Projection::parse(context::as_document(name, value)?)?,
                "sort" => find.sort = Sort::parse(context::as_document(name, value)?)?,
                "skip" => find.skip = context::natural(name, context::integer(name, value)?)?,
                "batchSize" => {
                    find.batch_size = Some(context::natural(name, context::integer(name, value)?)?);
                }
                "limit" => {
                    let limit = context::integer(name, value)?;
                    find.limit = limit.unsigned_abs();
                    // A negative limit means the same number, without a cursor.
                    find.single_batch |= limit < 0;
                }
                "singleBatch" => find.single_batch |= context::as_flag(name, value)?,
                "tailable" if context::as_flag(name, value)? => {
                    return Err(CommandError::bad_value(
                        "tailable cursor requested on a collection that is not capped",
                    ));
                }
                "collation" | "min" | "max" | "returnKey" | "showRecordId" => {
                    return Err(CommandError::unknown_option(name));
                }
                _ => {}
            }
        }
        Ok(find)
    }

    /// How many documents the first reply may hold.
    fn first_batch(&self) -> u64 {
        let default = if self.single_batch { u64::MAX } else { FIRST_BATCH };
        self.batch_size.unwrap_or(default)
    }

    /// The documents as they come: the first ones at once, the keys of the others for later.
    fn unsorted(self, context: &Context<'_>, namespace: &str) -> Result<RawDocumentBuf, CommandError> {
        let mut batch = Batch::of(self.first_batch());
        let mut keys = VecDeque::new();
        let (mut skipped, mut taken) = (0, 0);
        query::each(context.services, namespace, &self.filter, &mut |document| {
            if skipped < self.skip {
                skipped += 1;
                return Ok(ControlFlow::Continue(()));
            }
            if !keys.is_empty() || !batch.push(&self.projection.apply(document)?) {
                if self.single_batch {
                    return Ok(ControlFlow::Break(()));
                }
                keys.push_back(query::key_of(document)?);
            }
            taken += 1;
            Ok(if taken == self.limit {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        let rest = Rest::Keys {
            keys,
            filter: self.filter,
            projection: self.projection,
        };
        let id = context.services.cursors.open(Cursor {
            namespace: namespace.to_owned(),
            rest,
        })?;
        Ok(batch.first_reply(namespace, id))
    }

    /// The documents in their order, all of which have to be seen first.
    fn sorted(self, context: &Context<'_>, namespace: &str) -> Result<RawDocumentBuf, CommandError> {
        let first_batch = self.first_batch();
        let mut sorted = Sorted::by(self.sort);
        query::each(context.services, namespace, &self.filter, &mut |document| {
            Ok(if sorted.push(document) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        let limit = if self.limit == 0 { u64::MAX } else { self.limit };
        let documents = sorted
            .take()?
            .skip(usize::try_from(self.skip).unwrap_or(usize::MAX))
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .map(|document| self.projection.apply(&document))
            .collect::<Result<VecDeque<_>, _>>()?;
        if self.single_batch {
            let mut batch = Batch::of(first_batch);
            Rest::Documents(documents).fill(context.services, namespace, &mut batch)?;
            return Ok(batch.first_reply(namespace, 0));
        }
        cursors::begin(context.services, namespace, documents, self.batch_size)
    }
}
