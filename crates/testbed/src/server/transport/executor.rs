use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use cede::{Class, Decision, Domain, Request, Session, SliceState};
use scenario::{Guard, GuardCounter, Placement};

use super::{
    counters::{Counters, Shard, TransportCounts},
    thread_count::{Counted, ThreadCount},
};

/// A place where a connection thread offers its CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YieldPoint {
    /// The next request is not read yet.
    BeforeReceive,
    /// The reply is out, or there was none to send.
    AfterSend,
}

/// How the executor decides whether a yield point is a chance to give up the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutorPlan {
    /// Yield points in use.
    pub placement: Placement,
    /// Threads that the guard counts.
    pub guard: Guard,
    /// How it reads their number.
    pub guard_counter: GuardCounter,
    /// Up to this number of threads, none yields.
    pub cores: usize,
}

/// Lets connection threads yield while more of them run than there are cores.
#[derive(Debug)]
pub struct ServiceExecutor {
    plan: ExecutorPlan,
    /// The places of the placement and of the guard among all choices, since they may change while threads run.
    placement: AtomicUsize,
    guard: AtomicUsize,
    domain: Domain,
    alive: ThreadCount,
    active: ThreadCount,
    created: AtomicU64,
    counters: Counters,
}

/// A connection thread's place in its executor.
#[derive(Debug)]
pub struct Worker<'a> {
    executor: &'a ServiceExecutor,
    place: Place,
    shard: Option<&'a Shard>,
    active: Option<Counted<'a>>,
    _alive: Counted<'a>,
}

/// What a connection thread is to the primitive.
#[derive(Debug)]
enum Place {
    /// Between two requests, or with requests that the primitive is not told of.
    Between(Session),
    /// Within a request.
    Within(Request),
    /// On the way from one to the other.
    Moving,
}

impl ServiceExecutor {
    /// An executor whose threads yield through `domain`.
    #[must_use]
    pub fn new(plan: ExecutorPlan, domain: Domain) -> Self {
        Self {
            plan,
            placement: AtomicUsize::new(place_of(plan.placement, Placement::ALL)),
            guard: AtomicUsize::new(place_of(plan.guard, Guard::ALL)),
            domain,
            alive: ThreadCount::new(plan.guard_counter),
            active: ThreadCount::new(plan.guard_counter),
            created: AtomicU64::default(),
            counters: Counters::new(),
        }
    }

    /// The domain that decides.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// How this executor decides now.
    #[must_use]
    pub fn plan(&self) -> ExecutorPlan {
        ExecutorPlan {
            placement: self.placement(),
            guard: self.guard(),
            ..self.plan
        }
    }

    /// Changes the yield points in use: connection threads go by it from their next one on.
    pub fn set_placement(&self, placement: Placement) {
        self.placement
            .store(place_of(placement, Placement::ALL), Ordering::Relaxed);
    }

    /// Changes what the guard counts. Requests under way are counted as active from the next one on.
    pub fn set_guard(&self, guard: Guard) {
        self.guard.store(place_of(guard, Guard::ALL), Ordering::Relaxed);
    }

    fn placement(&self) -> Placement {
        let place = self.placement.load(Ordering::Relaxed);
        Placement::ALL.get(place).copied().unwrap_or(self.plan.placement)
    }

    fn guard(&self) -> Guard {
        Guard::ALL
            .get(self.guard.load(Ordering::Relaxed))
            .copied()
            .unwrap_or(self.plan.guard)
    }

    /// Makes the calling thread a connection thread, until the result is dropped.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        self.created.fetch_add(1, Ordering::Relaxed);
        Worker {
            executor: self,
            place: Place::Between(self.domain.session()),
            shard: self.counters.shard(),
            active: None,
            _alive: self.alive.enter(),
        }
    }

    /// Connection threads alive, also those that are blocked in receive.
    #[must_use]
    pub fn threads_running(&self) -> usize {
        self.alive.get()
    }

    /// Connection threads started so far.
    #[must_use]
    pub fn threads_created(&self) -> u64 {
        self.created.load(Ordering::Relaxed)
    }

    /// What the connection threads have done so far.
    #[must_use]
    pub fn counts(&self) -> TransportCounts {
        self.counters.total()
    }

    fn uses(&self, point: YieldPoint) -> bool {
        match self.placement() {
            Placement::None => false,
            Placement::Both => true,
            Placement::BeforeReceive | Placement::BeforeDispatch => point == YieldPoint::BeforeReceive,
            Placement::AfterSend => point == YieldPoint::AfterSend,
        }
    }

    fn oversubscribed(&self) -> bool {
        let counted = match self.guard() {
            Guard::Connections => &self.alive,
            Guard::Active => &self.active,
        };
        counted.get() > self.plan.cores
    }
}

fn place_of<T: Copy + PartialEq>(choice: T, all: &[T]) -> usize {
    all.iter().position(|known| *known == choice).unwrap_or(0)
}

impl Worker<'_> {
    /// Gives up the CPU if this point is in use, more threads run than there are cores, and the policy says so.
    pub fn yield_if_appropriate(&mut self, point: YieldPoint) {
        let Some(counters) = self.shard.map(|shard| shard.point(point)) else {
            return;
        };
        counters.count_reached();
        if !self.executor.uses(point) {
            return;
        }
        if !self.executor.oversubscribed() {
            counters.count_skipped_by_guard();
            return;
        }
        let Place::Between(session) = &mut self.place else {
            return;
        };
        let pause = session.yield_point();
        if pause.decision != Decision::Stay {
            counters.count_call(&pause);
        }
    }

    /// What became of the policy's wish for a slice of this thread's own.
    #[must_use]
    pub fn slice(&self) -> SliceState {
        match &self.place {
            Place::Between(session) => session.slice(),
            Place::Within(_) | Place::Moving => SliceState::Unchanged,
        }
    }

    /// A request of this class is about to be carried out. If requests may be held back, this is where.
    pub fn dispatch(&mut self, class: Class) {
        if self.executor.placement() != Placement::BeforeDispatch {
            return;
        }
        self.place = match std::mem::replace(&mut self.place, Place::Moving) {
            Place::Between(session) => Place::Within(session.begin(class)),
            other => other,
        };
    }

    /// A whole request has arrived.
    pub fn request_started(&mut self, bytes: usize) {
        if let Some(shard) = self.shard {
            shard.count_request(bytes);
        }
        // Only where the guard asks for it: MongoDB does not pay for this count.
        if self.executor.guard() == Guard::Active {
            self.active = Some(self.executor.active.enter());
        }
    }

    /// The request is done, and its reply of `bytes` is out; none if nothing was to be sent.
    pub fn request_finished(&mut self, bytes: Option<usize>) {
        if let (Some(shard), Some(bytes)) = (self.shard, bytes) {
            shard.count_reply(bytes);
        }
        self.active = None;
        self.place = match std::mem::replace(&mut self.place, Place::Moving) {
            Place::Within(request) => Place::Between(request.finish()),
            other => other,
        };
    }
}
