//! Finds the documents of a filter: by `_id`, through an index, or by looking at all.

use std::{collections::HashSet, ops::ControlFlow, sync::Arc};

use bson::RawDocument;

use super::{
    filter::{Filter, key},
    matcher::{Matcher, Operand, Relation, Test, is_end},
};
use crate::server::{
    Services,
    catalog::{Entry, Index, KeyRange},
    commands::error::CommandError,
    storage::{DocumentKey, order},
};

/// Entries that are read from an index at a time: it is locked meanwhile, and not while their documents are looked at.
const ENTRIES_AT_A_TIME: usize = 128;

/// Where documents are looked for that may match.
#[derive(Debug)]
pub(in crate::server::commands) enum Candidates {
    /// Those with these keys.
    Keys(Vec<DocumentKey>),
    /// Those with entries in these ranges of an index.
    Entries(Arc<Index>, Vec<KeyRange>),
    /// All of the collection.
    Collection,
}

/// Looks at a document that matches, and says whether to go on.
pub(in crate::server::commands) type Look<'a> =
    &'a mut dyn FnMut(&RawDocument) -> Result<ControlFlow<()>, CommandError>;

/// Shows every document that matches to `look` until it breaks.
pub(in crate::server::commands) fn each(
    services: &Services,
    namespace: &str,
    filter: &Filter,
    look: Look<'_>,
) -> Result<(), CommandError> {
    let mut judge = Judge {
        services,
        namespace,
        filter,
        look,
        outcome: Ok(ControlFlow::Continue(())),
    };
    match Candidates::of(services, namespace, filter) {
        Candidates::Keys(keys) => {
            for key in keys {
                if judge.find(&key)?.is_break() {
                    break;
                }
            }
        }
        Candidates::Entries(index, ranges) => judge.entries(&index, &ranges)?,
        Candidates::Collection => {
            services
                .engine
                .scan(namespace, &mut |document| judge.see(document))?;
            judge.outcome.map(|_flow| ())?;
        }
    }
    Ok(())
}

/// The key of a document that is stored.
pub(in crate::server::commands) fn key_of(document: &RawDocument) -> Result<DocumentKey, CommandError> {
    let id = document.get("_id")?;
    key(id.ok_or_else(|| CommandError::bad_value("a stored document has no _id"))?)
}

struct Judge<'a, 'look> {
    services: &'a Services,
    namespace: &'a str,
    filter: &'a Filter,
    look: Look<'look>,
    outcome: Result<ControlFlow<()>, CommandError>,
}

impl Judge<'_, '_> {
    fn see(&mut self, document: &RawDocument) -> ControlFlow<()> {
        // Where no documents are kept, what is found stands for any that was asked for.
        if !self.filter.matches(document) && self.services.engine.keeps_documents() {
            return ControlFlow::Continue(());
        }
        self.outcome = (self.look)(document);
        match self.outcome {
            Ok(flow) => flow,
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn find(&mut self, key: &DocumentKey) -> Result<ControlFlow<()>, CommandError> {
        let engine = &self.services.engine;
        engine.find(self.namespace, key, &mut |document| {
            let _flow = self.see(document);
        })?;
        self.outcome.clone()
    }

    fn entries(&mut self, index: &Index, ranges: &[KeyRange]) -> Result<(), CommandError> {
        let mut seen = HashSet::new();
        for range in ranges {
            let mut last: Option<Entry> = None;
            loop {
                let mut entries = index.entries(range, last.as_ref(), ENTRIES_AT_A_TIME);
                for (_, key) in &entries {
                    // A document may be in an index more than once, and is to be found once.
                    let again = index.is_multikey() && !seen.insert(key.clone());
                    if !again && self.find(key)?.is_break() {
                        return Ok(());
                    }
                }
                let complete = entries.len() < ENTRIES_AT_A_TIME;
                last = entries.pop();
                if complete {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl Candidates {
    /// The narrowest place to look in: keys before equal values in an index, before a range of it, before everything.
    pub(in crate::server::commands) fn of(services: &Services, namespace: &str, filter: &Filter) -> Self {
        let matcher = match filter {
            Filter::All => return Self::Collection,
            Filter::Id(key) => return Self::Keys(vec![key.clone()]),
            Filter::Matching(matcher) => matcher,
        };
        let conjuncts = matcher.conjuncts();
        if let Some(keys) = conjuncts.iter().find_map(|conjunct| keys(conjunct)) {
            return Self::Keys(keys);
        }
        let indexes = services
            .catalog
            .collection(namespace)
            .map(|collection| collection.indexes())
            .unwrap_or_default();
        let through = |ranges: &dyn Fn(&Index) -> Option<Vec<KeyRange>>| {
            let mut usable = indexes.iter().filter_map(|index| Some((index, ranges(index)?)));
            usable
                .next()
                .map(|(index, ranges)| Self::Entries(Arc::clone(index), ranges))
        };
        through(&|index| equal(&conjuncts, index))
            .or_else(|| through(&|index| Some(vec![between(&conjuncts, index)?])))
            .unwrap_or(Self::Collection)
    }
}

/// The tests that an index's first field has to pass.
fn tests<'a>(conjuncts: &'a [&Matcher], index: &'a Index) -> impl Iterator<Item = &'a Test> {
    conjuncts.iter().filter_map(|conjunct| match conjunct {
        Matcher::Field { path, test } if Some(path) == index.first_field() => Some(test),
        _ => None,
    })
}

/// The keys that a condition on `_id` allows.
fn keys(conjunct: &Matcher) -> Option<Vec<DocumentKey>> {
    let Matcher::Field { path, test } = conjunct else {
        return None;
    };
    if !path.is("_id") {
        return None;
    }
    let operands = one_by_one(test)?;
    // No document has a key that is too long.
    Some(
        operands
            .iter()
            .filter_map(|operand| DocumentKey::from_encoded(operand))
            .collect(),
    )
}

/// The ranges of the values that a condition allows one by one.
fn equal(conjuncts: &[&Matcher], index: &Index) -> Option<Vec<KeyRange>> {
    let operands = tests(conjuncts, index).find_map(one_by_one)?;
    // A document that lacks the field is equal to null, and is not in a sparse index.
    let all_there = index.is_complete() || operands.iter().all(|operand| operand != order::NULL);
    all_there.then(|| operands.iter().map(beginning_with).collect())
}

/// The values that a test allows, if it names them.
fn one_by_one(test: &Test) -> Option<&[Operand]> {
    match test {
        Test::Compare(Relation::Equal, operand) => Some(std::slice::from_ref(operand)),
        Test::OneOf(operands) => Some(operands),
        _ => None,
    }
}

fn beginning_with(operand: &Operand) -> KeyRange {
    KeyRange {
        from: operand.clone(),
        to: above(operand),
    }
}

fn above(operand: &[u8]) -> Vec<u8> {
    [operand, &[order::ABOVE]].concat()
}

/// The one range that all conditions on an index's first field leave; of an index with arrays in it, that of the first
/// condition, since different elements may fulfil different ones.
fn between(conjuncts: &[&Matcher], index: &Index) -> Option<KeyRange> {
    let mut ranges = tests(conjuncts, index).filter_map(|test| match test {
        Test::Compare(relation, operand) => range(*relation, operand, index),
        _ => None,
    });
    let first = ranges.next()?;
    if index.is_multikey() {
        return Some(first);
    }
    Some(ranges.fold(first, |one, other| KeyRange {
        from: one.from.max(other.from),
        to: one.to.min(other.to),
    }))
}

/// The values of the operand's type on one side of it.
fn range(relation: Relation, operand: &Operand, index: &Index) -> Option<KeyRange> {
    let tag = *operand.first()?;
    if is_end(operand) || (operand == order::NULL && !index.is_complete()) {
        return None;
    }
    let (first, past) = (vec![tag], vec![tag + 1]);
    let (from, to) = match relation {
        Relation::Equal => return Some(beginning_with(operand)),
        Relation::Less => (first, operand.clone()),
        Relation::LessOrEqual => (first, above(operand)),
        Relation::Greater => (above(operand), past),
        Relation::GreaterOrEqual => (operand.clone(), past),
    };
    Some(KeyRange { from, to })
}
