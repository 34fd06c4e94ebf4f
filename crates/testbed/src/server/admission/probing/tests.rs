use proptest::prelude::*;

use super::*;

fn pair(read: u32, write: u32) -> PoolPair {
    PoolPair { read, write }
}

/// The machine with the pools that it sizes.
struct Driven {
    probing: Probing,
    sizes: PoolPair,
}

impl Driven {
    fn new(cores: u32) -> Self {
        let probing = Probing::new(Parameters::default(), cores);
        let sizes = probing.stable_sizes();
        Self { probing, sizes }
    }

    fn tick(&mut self, throughput: f64, peaks: PoolPair) -> (Decision, u32, u32) {
        let step = self.probing.tick(&Observation {
            throughput,
            sizes: self.sizes,
            peaks,
        });
        self.sizes = step.sizes;
        (step.decision, step.sizes.read, step.sizes.write)
    }
}

#[test]
fn it_begins_with_two_tickets_per_core_within_the_limits() {
    let initial = |cores| Driven::new(cores).sizes;
    assert_eq!(
        [1, 4, 5, 8, 64].map(initial),
        [4, 4, 5, 8, 64].map(PoolPair::both)
    );
    assert_eq!(initial(1000), PoolPair::both(128));
}

/// Eight cores: a stable concurrency of 16, in pools of 8. Every value is worked out by hand.
#[test]
fn a_scripted_throughput_curve_gives_the_trace_of_the_algorithm() {
    use Decision::{Decrease, Hold, Increase, ProbeDown, ProbeUp, UndoDown, UndoUp};
    let (busy, calm, idle) = (pair(3, 8), pair(3, 7), pair(0, 4));
    let script = [
        // 8 of 8 in use: 8 * 1.1 = 8.8.
        (1000.0, busy, (ProbeUp, 9, 9)),
        // Better: 0.2 * 18 + 0.8 * 16 = 16.4, of which half is 8.2.
        (1100.0, busy, (Increase, 8, 8)),
        // 8.2 * 1.1 = 9.02. The throughput to beat is that of this tick, not the best so far.
        (1050.0, busy, (ProbeUp, 9, 9)),
        // As much is not more.
        (1050.0, busy, (UndoUp, 8, 8)),
        // 7 of 8 in use: 8.2 * 0.9 = 7.38.
        (900.0, calm, (ProbeDown, 7, 7)),
        // Better: 0.2 * 14 + 0.8 * 16.4 = 15.92, of which half is 7.96.
        (901.0, calm, (Decrease, 8, 8)),
        // 7.96 * 0.9 = 7.164.
        (900.0, calm, (ProbeDown, 7, 7)),
        (899.0, calm, (UndoDown, 8, 8)),
        // Not used up, and not beyond the minimum of 4.
        (400.0, idle, (Hold, 8, 8)),
        (300.0, idle, (Hold, 8, 8)),
    ];
    let mut driven = Driven::new(8);
    for (number, (throughput, peaks, expected)) in script.into_iter().enumerate() {
        assert_eq!(driven.tick(throughput, peaks), expected, "tick {number}");
    }
}

#[test]
fn a_step_is_at_least_one_ticket_and_never_beyond_a_limit() {
    let mut driven = Driven::new(1);
    // 4 * 1.1 = 4.4 would be 4.
    assert_eq!(driven.tick(1.0, pair(4, 0)), (Decision::ProbeUp, 5, 5));
    // 0.2 * 10 + 0.8 * 8 = 8.4.
    assert_eq!(driven.tick(2.0, pair(4, 0)), (Decision::Increase, 4, 4));
    // 4.2 * 0.9 = 3.78 would be 4, and one less is below the minimum. A peak beyond the size can be left from the probe.
    driven.sizes = pair(5, 5);
    assert_eq!(driven.tick(2.0, pair(4, 5)), (Decision::ProbeUp, 6, 6));

    let mut driven = Driven::new(1000);
    // Both pools are used up and cannot grow: 128 * 0.9 = 115.2.
    assert_eq!(driven.tick(1.0, pair(128, 128)), (Decision::ProbeDown, 115, 115));
}

/// 28 tickets for writes, and from one moment on only 16 writers at once, as if the rest were waiting elsewhere, with a
/// throughput that a smaller pool raises by a trace. Worked out by hand: each accepted step tries nine tenths of the
/// stable size, rounded, and moves a fifth of the way there.
#[test]
fn when_fewer_are_admitted_the_pools_shrink_in_the_steps_of_the_algorithm() {
    const WRITERS: u32 = 16;
    const TRIED: [u32; 27] = [
        25, 25, 24, 24, 23, 23, 22, 22, 21, 21, 21, 20, 20, 19, 19, 19, 18, 18, 18, 17, 17, 17, 16, 16, 16,
        15, 15,
    ];
    const KEPT: [u32; 27] = [
        27, 27, 26, 26, 25, 25, 24, 24, 23, 23, 22, 22, 22, 21, 21, 20, 20, 19, 19, 19, 18, 18, 18, 17, 17,
        17, 16,
    ];
    let mut driven = Driven::new(28);
    assert_eq!(driven.sizes, PoolPair::both(28));
    let mut throughput = 1000.0;
    let mut next = || {
        throughput += 1.0;
        throughput
    };
    for (tried, kept) in TRIED.into_iter().zip(KEPT) {
        let peaks = pair(0, WRITERS);
        assert_eq!(driven.tick(next(), peaks), (Decision::ProbeDown, tried, tried));
        assert_eq!(driven.tick(next(), peaks), (Decision::Decrease, kept, kept));
    }
    // Now 16 writers use the pool up: it grows if that helps, and stays where it is if it does not.
    let (probe, undo) = ((Decision::ProbeUp, 18, 18), (Decision::UndoUp, 16, 16));
    for _ in 0..3 {
        assert_eq!(driven.tick(1000.0, pair(0, WRITERS)), probe);
        assert_eq!(driven.tick(1000.0, pair(0, WRITERS)), undo);
    }
}

/// The algorithm once more, as its description has it: one function, one pool after the other.
struct Described {
    state: &'static str,
    stable: f64,
    to_beat: f64,
    read: f64,
    write: f64,
}

impl Described {
    fn set(&mut self, parameters: &Parameters, multiple: f64) {
        let limit = |tickets: f64| {
            tickets
                .round()
                .clamp(parameters.min.into(), parameters.max.into())
        };
        self.read = limit(self.stable * parameters.read_share * multiple);
        self.write = limit(self.stable * (1.0 - parameters.read_share) * multiple);
    }

    fn tick(&mut self, parameters: &Parameters, throughput: f64, peak_read: u32, peak_write: u32) {
        let (min, max) = (f64::from(parameters.min), f64::from(parameters.max));
        let (peak_read, peak_write) = (f64::from(peak_read), f64::from(peak_write));
        let (read, write) = (self.read, self.write);
        if self.state == "stable" {
            self.to_beat = throughput;
            if (read < max && peak_read >= read) || (write < max && peak_write >= write) {
                self.set(parameters, 1.0 + parameters.step);
                self.read = self.read.max(read + 1.0).min(max);
                self.write = self.write.max(write + 1.0).min(max);
                self.state = "up";
            } else if peak_read > min || peak_write > min {
                self.set(parameters, 1.0 - parameters.step);
                self.read = self.read.min(read - 1.0).max(min);
                self.write = self.write.min(write - 1.0).max(min);
                self.state = "down";
            }
            return;
        }
        if throughput > self.to_beat {
            let weight = parameters.weight;
            self.stable = (read + write) * weight + self.stable * (1.0 - weight);
            self.to_beat = throughput;
        }
        self.set(parameters, 1.0);
        self.state = "stable";
    }
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let limits = (1_u32..20, 0_u32..200);
    (limits, 0.01..0.5, 0.0..=1.0, 0.01..=1.0).prop_map(|((min, more), step, read_share, weight)| {
        Parameters {
            min,
            max: min + more,
            step,
            read_share,
            weight,
            ..Parameters::default()
        }
    })
}

/// Throughputs of few values, so that equal ones occur, and peaks around the sizes that occur.
fn ticks() -> impl Strategy<Value = Vec<(u32, u32, u32)>> {
    prop::collection::vec((0_u32..6, 0_u32..40, 0_u32..40), 1..200)
}

proptest! {
    #[test]
    fn it_does_what_its_description_says(parameters in parameters(), cores in 1_u32..100, ticks in ticks()) {
        let mut probing = Probing::new(parameters, cores);
        let mut sizes = probing.stable_sizes();
        let mut described = Described {
            state: "stable",
            stable: f64::from((2 * cores).clamp(2 * parameters.min, 2 * parameters.max)),
            to_beat: 0.0,
            read: 0.0,
            write: 0.0,
        };
        described.set(&parameters, 1.0);
        for (throughput, peak_read, peak_write) in ticks {
            let throughput = f64::from(throughput);
            let peaks = pair(peak_read, peak_write);
            sizes = probing.tick(&Observation { throughput, sizes, peaks }).sizes;
            described.tick(&parameters, throughput, peak_read, peak_write);
            prop_assert_eq!((sizes.read.into(), sizes.write.into()), (described.read, described.write));
            prop_assert_eq!(probing.is_stable(), described.state == "stable");
            prop_assert!((parameters.min..=parameters.max).contains(&sizes.read));
            prop_assert!((parameters.min..=parameters.max).contains(&sizes.write));
        }
    }
}
