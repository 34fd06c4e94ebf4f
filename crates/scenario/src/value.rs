//! How a scenario's values are read from text, with the sentence that says what was expected.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

use crate::{Auto, Engine, Guard, GuardCounter, JournalSync};

/// A type that a scenario key can have.
pub(crate) trait Value: Sized + Display {
    /// Limits that a key puts on its value.
    type Limits;

    /// Reads `text`; the error is a phrase that completes "expected ...".
    fn read(text: &str, limits: &Self::Limits) -> Result<Self, String>;
}

fn number<T: FromStr + PartialOrd + Display>(text: &str, limits: &RangeInclusive<T>) -> Result<T, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|value| limits.contains(value))
        .ok_or_else(|| format!("a number from {} to {}", limits.start(), limits.end()))
}

macro_rules! numbers {
    ($($type:ty),+) => {$(
        impl Value for $type {
            type Limits = RangeInclusive<$type>;
            fn read(text: &str, limits: &Self::Limits) -> Result<Self, String> { number(text, limits) }
        }
    )+};
}
numbers!(u32, u64, f64);

impl<T: Value> Value for Auto<T> {
    type Limits = T::Limits;

    fn read(text: &str, limits: &Self::Limits) -> Result<Self, String> {
        match text.trim() {
            "auto" => Ok(Auto::Auto),
            given => T::read(given, limits)
                .map(Auto::Given)
                .map_err(|expected| format!("{expected}, or auto")),
        }
    }
}

macro_rules! words {
    ($($type:ty),+) => {$(
        impl Value for $type {
            type Limits = ();
            fn read(text: &str, (): &()) -> Result<Self, String> {
                text.trim().parse().map_err(|_unknown: String| {
                    let names: Vec<_> = Self::ALL.iter().map(|choice| choice.name()).collect();
                    format!("one of: {}", names.join(", "))
                })
            }
        }
    )+};
}
words!(Engine, Guard, GuardCounter, JournalSync);
