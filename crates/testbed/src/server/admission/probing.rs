//! The controller's algorithm: MongoDB's throughput probing, as a state machine without a clock.
//!
//! In a stable state the throughput is noted. If a pool was used up since then, both are tried with a step more; if none
//! was, with a step less. One tick later the throughput has risen or it has not: if it has, the stable concurrency moves
//! a part of the way to what was tried, and in any case both pools go back to the stable size.

use std::time::Duration;

use scenario::Decision;

use super::PoolPair;

/// Parameters of the algorithm; the defaults are MongoDB's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parameters {
    /// Time between ticks (`throughputProbingConcurrencyAdjustmentIntervalMillis`).
    pub(super) interval: Duration,
    /// Tickets per core, of both pools, to begin with (what `throughputProbingInitialConcurrency` of 0 stands for).
    pub(super) initial_per_core: u32,
    /// Least tickets of a pool (`throughputProbingMinConcurrency`).
    pub(super) min: u32,
    /// Most tickets of a pool (`throughputProbingMaxConcurrency`).
    pub(super) max: u32,
    /// What is tried is this part larger or smaller than the stable size (`throughputProbingStepMultiple`).
    pub(super) step: f64,
    /// Share of the tickets that is for reads (`throughputProbingReadWriteRatio`).
    pub(super) read_share: f64,
    /// How far the stable concurrency moves to what was tried (`throughputProbingConcurrencyMovingAverageWeight`).
    pub(super) weight: f64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(100),
            initial_per_core: 2,
            min: 4,
            max: 128,
            step: 0.1,
            read_share: 0.5,
            weight: 0.2,
        }
    }
}

/// What the controller sees at a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Observation {
    /// Tickets given back since the last tick, per time; of what unit does not matter.
    pub(super) throughput: f64,
    /// Tickets of each pool, as they are set now.
    pub(super) sizes: PoolPair,
    /// The most tickets in use at once since the last tick in a stable state. Matters only in such a one.
    pub(super) peaks: PoolPair,
}

/// What it makes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// Its name.
    pub(super) decision: Decision,
    /// Tickets that each pool is to have now.
    pub(super) sizes: PoolPair,
    /// How far the stable concurrency has moved, up or down.
    pub(super) moved: f64,
}

/// The algorithm's state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Probing {
    parameters: Parameters,
    state: State,
    /// Tickets of both pools together at which it rests. Not a whole number: it moves in small steps.
    stable_concurrency: f64,
    /// The throughput at the last tick in a stable state, or when the stable concurrency moved.
    stable_throughput: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Stable,
    Probing(Direction),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

impl Probing {
    /// The algorithm at its start, on a machine of so many `cores`.
    pub(super) fn new(parameters: Parameters, cores: u32) -> Self {
        let initial = cores.saturating_mul(parameters.initial_per_core);
        let initial = initial.clamp(2 * parameters.min, 2 * parameters.max);
        Self {
            parameters,
            state: State::Stable,
            stable_concurrency: f64::from(initial),
            stable_throughput: 0.0,
        }
    }

    /// Time between ticks.
    pub(super) fn interval(&self) -> Duration {
        self.parameters.interval
    }

    /// Whether nothing is being tried: the next tick looks at the peaks, which then begin anew.
    pub(super) fn is_stable(&self) -> bool {
        self.state == State::Stable
    }

    /// The pools at which it rests.
    pub(super) fn stable_sizes(&self) -> PoolPair {
        self.sizes_at(1.0)
    }

    /// Decides.
    pub(super) fn tick(&mut self, observation: &Observation) -> Step {
        match self.state {
            State::Stable => self.probe(observation),
            State::Probing(direction) => self.judge(direction, observation),
        }
    }

    /// Chooses what to try next.
    fn probe(&mut self, observation: &Observation) -> Step {
        self.stable_throughput = observation.throughput;
        let Observation { sizes, peaks, .. } = *observation;
        let Parameters { min, max, step, .. } = self.parameters;
        let used_up = |size, peak| size < max && peak >= size;
        let (decision, sizes) = if used_up(sizes.read, peaks.read) || used_up(sizes.write, peaks.write) {
            self.state = State::Probing(Direction::Up);
            let target = self.sizes_at(1.0 + step);
            let more = |target: u32, size: u32| target.max(size.saturating_add(1)).clamp(min, max);
            (Decision::ProbeUp, each(target, sizes, more))
        } else if peaks.read > min || peaks.write > min {
            self.state = State::Probing(Direction::Down);
            let target = self.sizes_at(1.0 - step);
            let less = |target: u32, size: u32| target.min(size.saturating_sub(1)).clamp(min, max);
            (Decision::ProbeDown, each(target, sizes, less))
        } else {
            (Decision::Hold, sizes)
        };
        Step {
            decision,
            sizes,
            moved: 0.0,
        }
    }

    /// Looks what came of it. There is no margin for noise.
    fn judge(&mut self, direction: Direction, observation: &Observation) -> Step {
        self.state = State::Stable;
        let before = self.stable_concurrency;
        let better = observation.throughput > self.stable_throughput;
        if better {
            let tried = f64::from(observation.sizes.sum());
            let weight = self.parameters.weight;
            self.stable_concurrency = weight * tried + (1.0 - weight) * before;
            self.stable_throughput = observation.throughput;
        }
        Step {
            decision: match (direction, better) {
                (Direction::Up, true) => Decision::Increase,
                (Direction::Up, false) => Decision::UndoUp,
                (Direction::Down, true) => Decision::Decrease,
                (Direction::Down, false) => Decision::UndoDown,
            },
            sizes: self.stable_sizes(),
            moved: self.stable_concurrency - before,
        }
    }

    /// The stable concurrency times `multiple`, parted between the pools.
    fn sizes_at(&self, multiple: f64) -> PoolPair {
        let size = |share: f64| self.size(self.stable_concurrency * share * multiple);
        PoolPair {
            read: size(self.parameters.read_share),
            write: size(1.0 - self.parameters.read_share),
        }
    }

    fn size(&self, tickets: f64) -> u32 {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, and `as` saturates"
        )]
        let whole = tickets.round() as u32;
        whole.clamp(self.parameters.min, self.parameters.max)
    }
}

fn each(target: PoolPair, size: PoolPair, choose: impl Fn(u32, u32) -> u32) -> PoolPair {
    PoolPair {
        read: choose(target.read, size.read),
        write: choose(target.write, size.write),
    }
}

#[cfg(test)]
mod tests;
