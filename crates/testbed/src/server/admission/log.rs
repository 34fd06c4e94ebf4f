use std::{collections::VecDeque, time::Duration};

use scenario::{Decision, Tick};

/// Ticks that are kept: those of an hour, at MongoDB's interval of 100 ms.
const KEPT: usize = 36_000;

/// What the controller has done.
#[derive(Debug, Default)]
pub(super) struct Log {
    ticks: VecDeque<Tick>,
    monitor: Monitor,
}

/// The same in numbers. All of them only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Monitor {
    /// Times the stable concurrency moved down.
    pub times_decreased: u64,
    /// Times it moved up.
    pub times_increased: u64,
    /// How far it moved down, all together, in tickets of both pools.
    pub total_decreased: f64,
    /// How far it moved up.
    pub total_increased: f64,
    /// Time that changing the pools has taken, waiting for tickets in use included.
    pub resizing: Duration,
    /// Ticks in the stable state.
    pub times_stable: u64,
    /// Times larger pools were tried, and judged.
    pub times_up: u64,
    /// Times smaller pools were tried, and judged.
    pub times_down: u64,
}

impl Log {
    /// Adds a tick by which the stable concurrency has `moved`, up or down.
    pub(super) fn add(&mut self, tick: Tick, moved: f64, resizing: Duration) {
        if self.ticks.len() == KEPT {
            self.ticks.pop_front();
        }
        self.ticks.push_back(tick);
        self.monitor.add(tick.decision, moved, resizing);
    }

    /// The last ticks, in order, with their time since the server's start.
    pub(super) fn ticks(&self) -> impl Iterator<Item = Tick> {
        self.ticks.iter().copied()
    }

    pub(super) fn monitor(&self) -> Monitor {
        self.monitor
    }
}

impl Monitor {
    fn add(&mut self, decision: Decision, moved: f64, resizing: Duration) {
        self.resizing += resizing;
        match decision {
            Decision::Hold | Decision::ProbeUp | Decision::ProbeDown => self.times_stable += 1,
            Decision::Increase | Decision::UndoUp => self.times_up += 1,
            Decision::Decrease | Decision::UndoDown => self.times_down += 1,
        }
        match decision {
            Decision::Increase => {
                self.times_increased += 1;
                self.total_increased += moved.abs();
            }
            Decision::Decrease => {
                self.times_decreased += 1;
                self.total_decreased += moved.abs();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(time_s: f64, decision: Decision) -> Tick {
        Tick {
            time_s,
            read_tickets: 8,
            write_tickets: 8,
            throughput_ops: 1.0,
            decision,
        }
    }

    #[test]
    fn every_decision_is_counted_where_it_belongs() {
        let mut log = Log::default();
        for decision in Decision::ALL {
            let moved = match decision {
                Decision::Increase => 0.4,
                Decision::Decrease => -0.5,
                _ => 0.0,
            };
            log.add(tick(0.0, *decision), moved, Duration::from_micros(2));
        }
        let expected = Monitor {
            times_decreased: 1,
            times_increased: 1,
            total_decreased: 0.5,
            total_increased: 0.4,
            resizing: Duration::from_micros(14),
            times_stable: 3,
            times_up: 2,
            times_down: 2,
        };
        assert_eq!(log.monitor(), expected);
        assert!(
            log.ticks()
                .map(|tick| tick.decision)
                .eq(Decision::ALL.iter().copied())
        );
    }

    #[test]
    fn the_log_is_bounded_and_keeps_what_is_new() {
        let mut log = Log::default();
        for number in 0..KEPT + 2 {
            log.add(tick(number as f64, Decision::Hold), 0.0, Duration::ZERO);
        }
        assert_eq!(log.ticks().count(), KEPT);
        assert_eq!(log.ticks().next().unwrap().time_s.to_bits(), 2.0_f64.to_bits());
        assert_eq!(log.monitor().times_stable, KEPT as u64 + 2);
    }
}
