use std::fmt;

use serde::{Serialize, Serializer};

/// A setting that the backend derives from the machine unless it is given.
///
/// Written `auto` in text and `null` in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Auto<T> {
    /// Derived where the scenario runs.
    #[default]
    Auto,
    /// Given.
    Given(T),
}

impl<T: Copy> Auto<T> {
    /// The given value, or what `derive` makes of the machine.
    pub fn unwrap_or_else(self, derive: impl FnOnce() -> T) -> T {
        match self {
            Auto::Auto => derive(),
            Auto::Given(value) => value,
        }
    }

    /// The given value, if there is one.
    pub fn given(self) -> Option<T> {
        match self {
            Auto::Auto => None,
            Auto::Given(value) => Some(value),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Auto<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Auto::Auto => f.write_str("auto"),
            Auto::Given(value) => value.fmt(f),
        }
    }
}

impl<T: Serialize> Serialize for Auto<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Auto::Auto => serializer.serialize_none(),
            Auto::Given(value) => value.serialize(serializer),
        }
    }
}
