//! Admission control in front of the storage engine: how it is set, and what it did.

mod outcome;

use std::{fmt, ops::RangeInclusive};

use serde::{Serialize, Serializer};

use crate::value::Value;
pub use outcome::{AdmissionOutcome, Decision, Tick};

/// Who may work in the storage engine at the same time.
///
/// In text and in JSON `none`, `probing` or `fixed:N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Admission {
    /// Every request is admitted at once.
    None,
    /// Two pools of tickets, for reads and for writes, that a controller sizes by what the throughput makes of it.
    Probing,
    /// Two pools of so many tickets each.
    Fixed(u32),
}

impl fmt::Display for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.pad("none"),
            Self::Probing => f.pad("probing"),
            Self::Fixed(tickets) => f.pad(&format!("fixed:{tickets}")),
        }
    }
}

impl Serialize for Admission {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Value for Admission {
    /// Those of a fixed pool's size.
    type Limits = RangeInclusive<u32>;

    fn read(text: &str, limits: &Self::Limits) -> Result<Self, String> {
        let fixed = |text: &str| {
            let tickets = text.strip_prefix("fixed:")?;
            u32::read(tickets, limits).ok().map(Self::Fixed)
        };
        match text.trim() {
            "none" => Ok(Self::None),
            "probing" => Ok(Self::Probing),
            other => fixed(other).ok_or_else(|| {
                format!(
                    "none, probing, or fixed:N with N from {} to {}",
                    limits.start(),
                    limits.end()
                )
            }),
        }
    }
}
