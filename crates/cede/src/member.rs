//! A thread's place in its domain: what a [`Session`](crate::Session) and a [`Request`](crate::Request) are made of.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::bucket::Bucket;
use crate::class::Class;
use crate::counters::Counters;
use crate::decision::{Decision, Pause};
use crate::domain::Shared;
use crate::executor;
use crate::gate::{Hold, Slot, Work};
use crate::observation::Observation;
use crate::policy::{Policy, Sight};
use crate::registry::{SessionId, count_session};
use crate::sampler::{Sampler, cpu_ns};
use crate::slice::SliceState;
use crate::snapshot::Snapshot;
use crate::spin::Spin;
use crate::sys;
use crate::thread_setup::ThreadSetup;

/// Belongs to one thread from its making on, which writes to it with each request: aligned like
/// [`Counters`], so that no two share a cache line, whatever the allocator does.
#[repr(align(128))]
#[derive(Debug)]
pub(crate) struct Member {
    domain: Arc<Shared>,
    id: SessionId,
    slot: Arc<Slot>,
    counters: Arc<Counters>,
    policy: Policy,
    /// The domain's generation that `policy` is from.
    generation: u32,
    /// Below this alarm, `policy` has nothing to do at a yield point of this session.
    calm_below: u64,
    /// `None` until the policy knows what to set up.
    setup: Option<ThreadSetup>,
    sampler: Sampler,
    bucket: Bucket,
    /// CPU time of the thread when it last gave its CPU away.
    cpu_at_pause_ns: u64,
    spin: Spin,
    tid: u32,
    /// A request has begun and is not finished.
    under_way: bool,
    /// Requests are told by `begin`; else all that is known is when the thread comes to a yield point.
    marks_requests: bool,
    /// Raw pointers are neither `Send` nor `Sync`.
    belongs_to_its_thread: PhantomData<*const ()>,
}

impl Member {
    pub(crate) fn start(domain: Arc<Shared>) -> Self {
        let (policy, generation) = domain.policy();
        let setup = policy.prepare(false);
        let counters = Arc::default();
        let id = domain.registry.enter(&counters, slice_of(setup.as_ref()));
        let slot = domain.gate.enter();
        let now = sys::monotonic_ns();
        if policy.watches() {
            domain.follow(now);
        }
        Self {
            domain,
            id,
            slot,
            counters,
            policy,
            generation,
            calm_below: policy.calm_below(false),
            setup,
            sampler: Sampler::new(),
            bucket: Bucket::new(now),
            cpu_at_pause_ns: 0,
            spin: Spin::default(),
            tid: sys::thread_id().unwrap_or(0),
            under_way: false,
            marks_requests: false,
            belongs_to_its_thread: PhantomData,
        }
    }

    /// Goes by the domain's policy if that has changed, and sets up what could not be before.
    fn keep_up(&mut self) {
        if self.generation == self.domain.generation() && self.setup.is_some() {
            return;
        }
        self.catch_up();
    }

    #[cold]
    fn catch_up(&mut self) {
        let (policy, generation) = self.domain.policy();
        if policy != self.policy || generation != self.generation {
            self.end_bare();
            // What the earlier policy had set up is put back first.
            self.setup = None;
            (self.policy, self.generation) = (policy, generation);
        }
        if self.setup.is_none() {
            self.setup = policy.prepare(self.marks_requests);
        }
        self.calm_below = policy.calm_below(self.marks_requests);
    }

    pub(crate) fn yield_point(&mut self) -> Pause {
        self.keep_up();
        if !self.domain.gate.is_alarmed(self.calm_below) {
            self.counters.record(&Pause::STAYED);
            return Pause::STAYED;
        }
        self.attend()
    }

    /// A yield point at which there may be something to do. Apart, so that the others need not save registers for it.
    #[inline(never)]
    fn attend(&mut self) -> Pause {
        let pause = match self.policy.sight() {
            Sight::Others if !self.marks_requests => self.bare_yield_point(),
            sight => self.pause(sight),
        };
        self.counters.record(&pause);
        pause
    }

    fn pause(&mut self, sight: Sight) -> Pause {
        let decision = match sight {
            Sight::Never => Decision::Stay,
            Sight::Nothing => self.policy.at_yield_point(&Observation::default()),
            Sight::Others => self.look_around(),
            Sight::OwnTime => self.look_at_itself(),
        };
        let pause = executor::carry_out(decision);
        if decision != Decision::Stay {
            self.bucket.charge(pause.inside);
            self.was_away();
        }
        pause
    }

    /// A yield point of a thread that does not tell its requests: all that it shows is when it comes here. What lies
    /// between two yield points counts as a request.
    fn bare_yield_point(&mut self) -> Pause {
        let now = sys::monotonic_ns();
        if let Some(pause) = self.spin.yield_again(now, &self.domain.ring) {
            return pause;
        }
        let gap = self.spin.arrive(now);
        let pause = if self.spin.is_loop() {
            self.spin.pause(now, &self.domain.ring)
        } else if self.spin.is_idle() {
            Pause::STAYED
        } else {
            self.domain.ring.wake_one(now);
            let decision = self.look_around_bare(now, gap);
            let pause = executor::carry_out(decision);
            self.bucket.charge(pause.inside);
            pause
        };
        let back = sys::monotonic_ns();
        self.spin.leave(back);
        self.slot.begin_bare(back, self.tid);
        pause
    }

    fn look_around_bare(&mut self, now: u64, gap: Option<u64>) -> Decision {
        let cpu = cpu_ns().unwrap_or(0);
        let ran = cpu.saturating_sub(std::mem::replace(&mut self.cpu_at_pause_ns, cpu));
        let Some(gap) = gap else { return Decision::Stay };
        let usual = self.sampler.learn_bare(ran);
        self.slot.book(&Work {
            timed: 1,
            timed_ns: gap,
            ..Work::default()
        });
        self.domain.gate.finish(&self.slot, &self.policy);
        let Some(mut seen) = self.domain.gate.observe_if_due(now) else {
            return Decision::Stay;
        };
        seen.ran = Duration::from_nanos(ran);
        seen.cost = Duration::from_nanos(usual);
        seen.allowance = self.bucket.allowance(now);
        self.policy.at_bare_yield_point(&seen)
    }

    fn look_around(&mut self) -> Decision {
        let Some(mut seen) = self.domain.gate.observe() else {
            return Decision::Stay;
        };
        seen.cost = Duration::from_nanos(self.slot.cost());
        seen.allowance = self.bucket.allowance(sys::monotonic_ns());
        self.policy.at_yield_point(&seen)
    }

    fn look_at_itself(&mut self) -> Decision {
        let ran = cpu_ns().unwrap_or(0).saturating_sub(self.cpu_at_pause_ns);
        let seen = Observation {
            ran: Duration::from_nanos(ran),
            allowance: self.bucket.allowance(sys::monotonic_ns()),
            ..Observation::default()
        };
        self.policy.at_yield_point(&seen)
    }

    pub(crate) fn begin(&mut self, class: Class) {
        if !self.marks_requests {
            self.marks_requests = true;
            self.end_bare();
            // What is right for a thread that tells its requests may be another setting.
            self.setup = None;
        }
        self.keep_up();
        self.under_way = true;
        let hold = if self.policy.watches() {
            let cost = self.sampler.expected(class, &self.domain.costs);
            self.domain.gate.begin(&self.slot, cost, &self.policy)
        } else {
            Hold::default()
        };
        self.counters.record_request(hold);
        if self.policy.watches() && self.sampler.start(class) {
            self.domain.follow(sys::monotonic_ns());
        }
    }

    pub(crate) fn finish(&mut self) {
        self.under_way = false;
        if let Some(began) = self.slot.began() {
            if let Some(work) = self.sampler.stop(began, &self.domain.costs) {
                self.slot.book(&work);
            }
            self.domain.gate.finish(&self.slot, &self.policy);
        }
    }

    /// What the thread did since its last yield point is not over, but is no concern of others any more.
    fn end_bare(&self) {
        if !self.under_way && self.slot.began().is_some() {
            self.domain.gate.finish(&self.slot, &self.policy);
        }
    }

    /// The thread was off its CPU.
    pub(crate) fn was_away(&mut self) {
        if self.policy.sight() == Sight::OwnTime {
            self.cpu_at_pause_ns = cpu_ns().unwrap_or(0);
        }
    }

    pub(crate) fn slice(&self) -> SliceState {
        slice_of(self.setup.as_ref())
    }

    pub(crate) fn counters(&self) -> Snapshot {
        let mut own = Snapshot {
            sessions: 1,
            ..Snapshot::default()
        };
        count_session(self.slice(), &mut own);
        self.counters.add_to(&mut own);
        own
    }
}

fn slice_of(setup: Option<&ThreadSetup>) -> SliceState {
    setup.map_or(SliceState::Unchanged, ThreadSetup::slice)
}

impl Drop for Member {
    fn drop(&mut self) {
        if self.under_way {
            self.finish();
        }
        self.end_bare();
        self.domain.gate.leave(&self.slot);
        self.spin.end(&self.domain.ring);
        self.domain.registry.retire(self.id);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Nobody is held back for what a session did that tells no requests, once it has ended that.
    #[test]
    fn time_between_yield_points_ends_with_the_policy_the_first_request_and_the_session() {
        let domain = Arc::new(Shared::new(Policy::Auto));
        let bare = || {
            let mut member = Member::start(Arc::clone(&domain));
            member.yield_point();
            assert!(member.slot.began().is_some());
            member
        };
        let (mut changes, mut begins, ends) = (bare(), bare(), bare());

        let slot = Arc::clone(&ends.slot);
        drop(ends);
        assert_eq!(slot.began(), None);

        begins.begin(Class::Unknown);
        begins.finish();
        assert_eq!(begins.slot.began(), None);

        domain.set_policy(Policy::None);
        changes.yield_point();
        assert_eq!(changes.slot.began(), None);
    }
}
