//! How much CPU a request will take, as far as anybody can tell before it begins.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What the caller knows about a request before it begins.
///
/// Short requests may pass where long ones are held back. Where nothing better is known than *what* is asked for, say
/// that, and `cede` learns how long such requests take.
///
/// ```
/// use cede::{Class, Domain, Policy};
///
/// const FIND: Class = Class::Kind(0);
/// const UPDATE: Class = Class::Kind(1);
///
/// let mut session = Domain::new(Policy::Auto).session();
/// for class in [FIND, UPDATE, FIND] {
///     let request = session.begin(class);
///     // ... carry it out and reply ...
///     session = request.finish();
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Nothing. The session's earlier requests are taken for a guide.
    #[default]
    Unknown,
    /// It takes little CPU compared to others.
    Short,
    /// It takes much.
    Long,
    /// It is one of those with this number, an operation code for instance: they take alike.
    Kind(u8),
}

/// How much a new measurement counts against the earlier ones: one part in so many.
const INERTIA: u64 = 32;

/// What requests of each kind took, in ns of CPU; 0 before the first was measured.
#[derive(Debug)]
pub(crate) struct Costs {
    kinds: Box<[AtomicU64]>,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            kinds: (0..=u8::MAX).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl Costs {
    /// What a request is expected to take, in ns; 0 if nobody knows. `own` is what the session's requests took.
    pub(crate) fn expected(&self, class: Class, own: u64) -> u64 {
        match class {
            Class::Unknown => own,
            // Less than half of anything, and more than twice anything.
            Class::Short => 1,
            Class::Long => u64::MAX,
            Class::Kind(kind) => self.of(kind).map_or(0, |cost| cost.load(Relaxed)),
        }
    }

    /// Learns from a request that took `ns` of CPU.
    pub(crate) fn learn(&self, class: Class, ns: u64) {
        if let Class::Kind(kind) = class
            && let Some(cost) = self.of(kind)
        {
            // Two threads at a time may lose one measurement of many.
            cost.store(learned(cost.load(Relaxed), ns), Relaxed);
        }
    }

    fn of(&self, kind: u8) -> Option<&AtomicU64> {
        self.kinds.get(usize::from(kind))
    }
}

/// A mean over the last measurements that were above 0.
pub(crate) fn learned(earlier: u64, ns: u64) -> u64 {
    match earlier {
        0 => ns,
        _ => (earlier - earlier / INERTIA).saturating_add(ns / INERTIA),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_learned_and_hints_are_taken() {
        let costs = Costs::default();
        assert_eq!(costs.expected(Class::Kind(7), 5), 0);
        for _ in 0..100 {
            costs.learn(Class::Kind(7), 40_000);
            costs.learn(Class::Unknown, 1);
        }
        let learned = costs.expected(Class::Kind(7), 5);
        assert!((39_000..=40_000).contains(&learned), "{learned}");
        assert_eq!(costs.expected(Class::Kind(8), 5), 0);
        assert_eq!(costs.expected(Class::Unknown, 5), 5);
        assert!(costs.expected(Class::Short, 0) < learned && learned < costs.expected(Class::Long, 0));
    }

    #[test]
    fn a_change_is_followed() {
        let mut cost = 0;
        for _ in 0..10 {
            cost = learned(cost, 1_000_000);
        }
        for _ in 0..240 {
            cost = learned(cost, 10_000);
        }
        assert!((9_000..20_000).contains(&cost), "{cost}");
    }
}
