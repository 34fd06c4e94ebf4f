//! What holds for the answers of policies, whatever they see.

use std::time::Duration;

use cede::{Decision, Observation, Oldest, Policy};
use proptest::prelude::*;

const POLICIES: [Policy; 8] = [
    Policy::Auto,
    Policy::Native,
    Policy::None,
    Policy::Nap,
    Policy::Capped {
        slice: Policy::DEFAULT_SLICE,
    },
    Policy::Budgeted,
    Policy::Patience,
    Policy::Age,
];

/// Those that may hold a request back.
const PARKING: [Policy; 2] = [Policy::Auto, Policy::Patience];

/// From nothing to a quarter of a second, more often short than long.
fn time() -> impl Strategy<Value = Duration> {
    prop_oneof![
        Just(Duration::ZERO),
        (10_u32..28, 0.0..1.0).prop_map(|(bits, part)| Duration::from_nanos(1 << bits).mul_f64(part)),
    ]
}

prop_compose! {
    fn observations()(
        age in time(),
        cost in time(),
        oldest in prop::option::of((time(), time())),
        mean in time(),
        admitted in 0_usize..100,
        parked in 0_usize..100,
        cpus in 0.0..16.0,
        blocked in 0.0..=1.0,
        ran in time(),
        allowance in time(),
    ) -> Observation {
        let mut seen = Observation::default();
        seen.age = age;
        seen.cost = cost;
        seen.oldest = oldest.map(|(age, cost)| Oldest { age, cost });
        seen.mean = mean;
        seen.admitted = admitted;
        seen.parked = parked;
        seen.cpus = cpus;
        seen.blocked = blocked;
        seen.ran = ran;
        seen.allowance = allowance;
        seen
    }
}

/// The same, but with an oldest request that has taken so long that a request without a known cost is parked.
fn crowds() -> impl Strategy<Value = Observation> {
    observations().prop_map(|seen| {
        let mut crowd = seen;
        crowd.age = Duration::ZERO;
        crowd.oldest.get_or_insert_default().age = Duration::from_millis(1) + 4 * seen.mean;
        crowd
    })
}

fn parks(policy: Policy, seen: &Observation) -> bool {
    policy.at_begin(seen) == Decision::Park
}

proptest! {
    #[test]
    fn an_answer_depends_on_nothing_but_what_is_seen(seen in observations()) {
        for policy in POLICIES {
            prop_assert_eq!(policy.at_begin(&seen), policy.at_begin(&seen.clone()));
            prop_assert_eq!(policy.at_yield_point(&seen), policy.at_yield_point(&seen.clone()));
        }
    }

    #[test]
    fn times_without_end_are_answered_as_well(seen in observations(), which in 0_u8..64) {
        let mut endless = seen;
        let all = [&mut endless.age, &mut endless.cost, &mut endless.mean, &mut endless.slice, &mut endless.ran];
        for (bit, field) in all.into_iter().enumerate() {
            if which & (1 << bit) != 0 {
                *field = Duration::MAX;
            }
        }
        if which & (1 << 5) != 0 {
            endless.oldest = Some(Oldest { age: Duration::MAX, cost: Duration::MAX });
        }
        for policy in POLICIES {
            prop_assert_ne!(policy.at_begin(&endless), Decision::Nap);
            prop_assert_ne!(policy.at_yield_point(&endless), Decision::Park);
        }
    }

    #[test]
    fn a_request_is_parked_or_begins_and_a_yield_point_never_parks(seen in observations()) {
        for policy in POLICIES {
            let at_begin = policy.at_begin(&seen);
            prop_assert!(at_begin == Decision::Stay || (at_begin == Decision::Park && PARKING.contains(&policy)));
            prop_assert_ne!(policy.at_yield_point(&seen), Decision::Park);
        }
    }

    #[test]
    fn without_an_older_request_nothing_is_held_back(seen in observations()) {
        let mut alone = seen;
        alone.oldest = None;
        for policy in PARKING {
            prop_assert!(!parks(policy, &alone));
        }
        for policy in [Policy::Auto, Policy::Age] {
            prop_assert_eq!(policy.at_yield_point(&alone), Decision::Stay);
        }
    }

    #[test]
    fn patience_parks_whoever_cannot_pass(seen in crowds()) {
        let mut unknown = seen;
        unknown.cost = Duration::ZERO;
        prop_assert!(parks(Policy::Patience, &unknown));
    }

    #[test]
    fn nobody_waits_for_a_request_that_is_not_older(seen in observations()) {
        for policy in PARKING {
            if let Some(oldest) = seen.oldest && seen.age >= oldest.age {
                prop_assert!(!parks(policy, &seen));
            }
        }
    }

    #[test]
    fn auto_parks_nobody_whom_patience_lets_go(seen in crowds()) {
        prop_assert!(parks(Policy::Patience, &seen) || !parks(Policy::Auto, &seen));
    }

    #[test]
    fn auto_parks_nobody_while_a_cpu_has_nothing_to_do(seen in crowds(), part in 0.0..1.0) {
        let mut idle = seen;
        let limit = seen.cpus.ceil().max(1.0);
        idle.admitted = (0..100).take_while(|&admitted| f64::from(admitted) < limit * part).count();
        idle.admitted = idle.admitted.saturating_sub(1);
        prop_assert!(!parks(Policy::Auto, &idle));
    }

    #[test]
    fn auto_parks_nobody_when_more_than_two_thirds_are_parked(seen in crowds()) {
        let mut few = seen;
        few.admitted = few.parked / 2;
        prop_assert!(!parks(Policy::Auto, &few));
    }

    #[test]
    fn the_longer_the_oldest_takes_the_more_are_parked(seen in crowds(), more in time()) {
        let mut later = seen;
        later.oldest.get_or_insert_default().age += more;
        for policy in PARKING {
            prop_assert!(!parks(policy, &seen) || parks(policy, &later));
        }
    }

    #[test]
    fn who_was_let_go_is_not_held_back_for_having_waited(seen in observations(), more in time()) {
        let mut later = seen;
        later.age += more;
        for policy in PARKING {
            prop_assert!(parks(policy, &seen) || !parks(policy, &later));
        }
    }

    #[test]
    fn who_is_known_to_take_less_is_not_parked_sooner(seen in crowds(), part in 0.0..1.0) {
        let mut less = seen;
        less.cost = seen.cost.mul_f64(part);
        for policy in PARKING {
            prop_assert!(parks(policy, &seen) || !parks(policy, &less) || less.cost.is_zero());
        }
    }

    #[test]
    fn more_cpus_and_more_blocked_requests_let_more_go(seen in crowds(), cpus in 0.0..8.0, blocked in 0.0..1.0) {
        let mut more = seen;
        more.cpus += cpus;
        more.blocked += (1.0 - seen.blocked) * blocked;
        prop_assert!(parks(Policy::Auto, &seen) || !parks(Policy::Auto, &more));
    }

    #[test]
    fn without_an_allowance_there_is_no_yield(seen in observations()) {
        let mut spent = seen;
        spent.allowance = Duration::ZERO;
        for policy in [Policy::Auto, Policy::Budgeted] {
            prop_assert_eq!(policy.at_yield_point(&spent), Decision::Stay);
        }
    }
}

/// Else the properties of crowds would hold for an `auto` that never parks.
#[test]
fn auto_parks_in_a_crowd() {
    let mut seen = Observation::default();
    seen.mean = Duration::from_millis(1);
    seen.admitted = 40;
    seen.cpus = 2.0;
    seen.oldest.get_or_insert_default().age = Duration::from_millis(10);
    assert!(parks(Policy::Auto, &seen));
}
