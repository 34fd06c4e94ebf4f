//! The load phase: the collections get their documents.

use std::{
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, Sender},
    },
    thread,
};

use super::{
    content::{Content, contents},
    control::Control,
    error::LoadError,
    limits::Limits,
    plan::LoadPlan,
    progress::Progress,
};

/// Connections that insert at a time.
const INSERTERS: u32 = 4;

/// Makes sure that each collection has exactly the plan's number of documents: leaves one that has as many alone, and
/// otherwise drops it and inserts all anew. Tells whether it came to its end before `stop` was set.
///
/// # Errors
/// [`LoadError::Load`] with what was inserted until then, or what went wrong before the first insert.
pub(super) fn load(
    plan: &LoadPlan,
    limits: Limits,
    control: &mut Control,
    stop: &AtomicBool,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<bool, LoadError> {
    for content in contents(plan) {
        let namespace = content.namespace;
        let is_there = control.count(namespace)? == content.documents;
        if !is_there {
            control.drop(namespace)?;
        }
        // First, for an engine that keeps no documents: it has none to index later.
        if let Some(field) = content.index {
            control.create_index(namespace, field)?;
        }
        if !is_there && content.documents > 0 && !fill(plan, &content, limits, control, stop, progress)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Inserts all documents of one collection.
fn fill(
    plan: &LoadPlan,
    content: &Content<'_>,
    limits: Limits,
    control: &mut Control,
    stop: &AtomicBool,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<bool, LoadError> {
    let work = Work {
        plan,
        content,
        limits,
        stop,
        next: AtomicU64::new(0),
        abandoned: AtomicBool::new(false),
        answered: AtomicU64::new(0),
    };
    let total = content.documents;
    let mut inserted = 0;
    let mut failure = None;
    progress(Progress::Loading { done: 0, total });
    thread::scope(|scope| {
        let (acknowledge, acknowledgements) = mpsc::channel();
        for _ in 0..INSERTERS.min(plan.connections) {
            let (work, acknowledge) = (&work, acknowledge.clone());
            let started = thread::Builder::new()
                .name("insert".to_owned())
                .spawn_scoped(scope, move || work.insert_batches(&acknowledge));
            if let Err(error) = started {
                work.abandoned.store(true, Ordering::Relaxed);
                failure = Some(LoadError::system("start a thread")(error));
                break;
            }
        }
        drop(acknowledge);
        for acknowledgement in acknowledgements {
            match acknowledgement {
                Ok(count) => {
                    inserted += count;
                    progress(Progress::Loading {
                        done: inserted,
                        total,
                    });
                }
                Err(error) => {
                    work.abandoned.store(true, Ordering::Relaxed);
                    failure.get_or_insert(error);
                }
            }
        }
    });
    control.answered += work.answered.load(Ordering::Relaxed);
    match failure {
        Some(source) => Err(LoadError::Load {
            inserted,
            total,
            source: Box::new(source),
        }),
        None => Ok(inserted == total),
    }
}

/// What the inserting threads share.
struct Work<'a> {
    plan: &'a LoadPlan,
    content: &'a Content<'a>,
    limits: Limits,
    stop: &'a AtomicBool,
    /// The first record that nobody has taken on yet.
    next: AtomicU64,
    abandoned: AtomicBool,
    /// Commands of threads that came to their end.
    answered: AtomicU64,
}

impl Work<'_> {
    fn insert_batches(&self, acknowledge: &Sender<Result<u64, LoadError>>) {
        let result = self.try_insert_batches(acknowledge);
        if let Err(error) = result {
            let _listener_waits_for_all = acknowledge.send(Err(error));
        }
    }

    fn try_insert_batches(&self, acknowledge: &Sender<Result<u64, LoadError>>) -> Result<(), LoadError> {
        let mut control = Control::open(self.plan.address, self.limits)?;
        while !self.stop.load(Ordering::Relaxed) && !self.abandoned.load(Ordering::Relaxed) {
            let batch = self.content.batch;
            let first = self.next.fetch_add(batch, Ordering::Relaxed);
            let numbers = first..self.content.documents.min(first.saturating_add(batch));
            if numbers.is_empty() {
                break;
            }
            let count = numbers.end - numbers.start;
            let documents = (self.content.make)(numbers, self.plan);
            control.insert(self.content.namespace, &documents)?;
            let _listener_waits_for_all = acknowledge.send(Ok(count));
        }
        self.answered.fetch_add(control.answered, Ordering::Relaxed);
        Ok(())
    }
}
