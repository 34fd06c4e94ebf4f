use crate::{Metric, Ratio, format};

/// A ratio as it is shown beside a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    /// The change in words of one token: `+3.1%`, `x2.80`.
    pub(crate) text: String,
    /// Its 95 % interval, in brackets; none with one round.
    pub(crate) interval: Option<String>,
    pub(crate) mark: Mark,
}

/// What a change amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Better,
    Worse,
    /// The interval includes no change.
    NotSignificant,
    /// One round: there is no interval.
    Unknown,
}

impl Change {
    pub(crate) fn of(metric: Metric, ratio: &Ratio) -> Self {
        let mark = match (ratio.low, ratio.significant) {
            (None, _) => Mark::Unknown,
            (Some(_), false) => Mark::NotSignificant,
            (Some(_), true) if metric.improves(ratio.ratio) => Mark::Better,
            (Some(_), true) => Mark::Worse,
        };
        let interval = ratio
            .low
            .zip(ratio.high)
            .map(|(low, high)| format!("[{}, {}]", format::change(low), format::change(high)));
        Self {
            text: format::change(ratio.ratio),
            interval,
            mark,
        }
    }

    pub(crate) fn is_significant(&self) -> bool {
        matches!(self.mark, Mark::Better | Mark::Worse)
    }

    /// The change with the sign of its uncertainty: `+3.1%`, `+0.4% ns`, `+3.1% ?`.
    pub(crate) fn marked(&self) -> String {
        let Self { text, mark, .. } = self;
        match mark {
            Mark::Better | Mark::Worse => text.clone(),
            Mark::NotSignificant => format!("{text} ns"),
            Mark::Unknown => format!("{text} ?"),
        }
    }
}
