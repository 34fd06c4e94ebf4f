use serde::{Deserialize, Serialize};

use crate::choices::choices;

/// What admission control did in the measured part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AdmissionOutcome {
    /// Tickets of the pool for writes at the end.
    pub write_tickets_final: f64,
    /// Tickets of the pool for writes, averaged over time.
    pub write_tickets_mean: f64,
    /// Tickets of the pool for reads at the end.
    pub read_tickets_final: f64,
    /// Writes that held a ticket, averaged over time.
    pub active_writers_mean: f64,
    /// Every tick of the controller, in order; none where the pools have a fixed size.
    pub ticks: Vec<Tick>,
}

/// One tick of the controller. In JSON an array of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Row", into = "Row")]
pub struct Tick {
    /// When it was over, since the start of the measured part.
    pub time_s: f64,
    /// Tickets of the pool for reads after it.
    pub read_tickets: u32,
    /// Tickets of the pool for writes after it.
    pub write_tickets: u32,
    /// Tickets given back since the tick before, per second: what the decision rests on.
    pub throughput_ops: f64,
    /// What the controller did.
    pub decision: Decision,
}

type Row = (f64, u32, u32, f64, Decision);

impl From<Row> for Tick {
    fn from((time_s, read_tickets, write_tickets, throughput_ops, decision): Row) -> Self {
        Self {
            time_s,
            read_tickets,
            write_tickets,
            throughput_ops,
            decision,
        }
    }
}

impl From<Tick> for Row {
    fn from(tick: Tick) -> Self {
        let Tick {
            time_s,
            read_tickets,
            write_tickets,
            throughput_ops,
            decision,
        } = tick;
        (time_s, read_tickets, write_tickets, throughput_ops, decision)
    }
}

choices! {
    /// What the controller of the ticket pools did in a tick.
    Decision: "decision of the controller" {
        /// Nothing to try: no pool was used up, and none was used beyond the minimum.
        Hold = "hold",
        /// A pool was used up: try larger ones until the next tick.
        ProbeUp = "probe-up",
        /// No pool was used up: try smaller ones until the next tick.
        ProbeDown = "probe-down",
        /// The larger pools had more throughput: the stable size moves towards them.
        Increase = "increase",
        /// The smaller pools had more throughput: the stable size moves towards them.
        Decrease = "decrease",
        /// The larger pools did not help: back to the stable size.
        UndoUp = "undo-up",
        /// The smaller pools did not help: back to the stable size.
        UndoDown = "undo-down",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_an_array_in_json() {
        let tick = Tick {
            time_s: 0.1,
            read_tickets: 8,
            write_tickets: 9,
            throughput_ops: 4100.0,
            decision: Decision::ProbeUp,
        };
        // An array of numbers and words is written alike in TOML.
        let array = toml::Value::try_from(tick).unwrap();
        assert_eq!(array.to_string(), r#"[0.1, 8, 9, 4100.0, "probe-up"]"#);
        assert_eq!(array.try_into::<Tick>().unwrap(), tick);
    }
}
