use thiserror::Error;

use crate::Scenario;

/// One scenario key: its name, its meaning, and how it is read and written as text.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The name, as in `--set NAME=VALUE`.
    pub name: &'static str,
    /// What it means, with its unit, in one line.
    pub meaning: &'static str,
    pub(crate) set: fn(&mut Scenario, &str) -> Result<(), String>,
    pub(crate) get: fn(&Scenario) -> String,
}

impl Key {
    /// The key's value in `scenario`, in the form that `--set` reads.
    #[must_use]
    pub fn get(&self, scenario: &Scenario) -> String {
        (self.get)(scenario)
    }
}

/// Why a key could not be set.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SetError {
    /// The text is not of the form `KEY=VALUE`.
    #[error("`{0}` is not of the form KEY=VALUE")]
    Form(String),
    /// There is no such key.
    #[error("unknown key `{key}`; expected one of: {}", names())]
    UnknownKey {
        /// The key as given.
        key: String,
    },
    /// The key does not take this value.
    #[error("{key}={value}: expected {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// The value as given.
        value: String,
        /// What the key takes.
        expected: String,
    },
}

fn names() -> String {
    Scenario::KEYS
        .iter()
        .map(|key| key.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Defines [`Scenario`] and the table of its keys from one list, so that a key's name, type, limits, default and
/// meaning stand in one place.
macro_rules! keys {
    ($($name:ident: $type:ty [$limits:expr] = $default:expr, $meaning:literal;)+) => {
        /// Everything that decides a result, but for the workload and the variant that it is run with.
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        pub struct Scenario {
            $(#[doc = $meaning] pub $name: $type,)+
        }

        impl Default for Scenario {
            fn default() -> Self {
                Self { $($name: $default),+ }
            }
        }

        impl Scenario {
            /// Every key, in the order in which it is listed to users.
            pub const KEYS: &'static [$crate::Key] = &[$($crate::Key {
                name: stringify!($name),
                meaning: $meaning,
                set: |scenario, text| {
                    scenario.$name = <$type as $crate::value::Value>::read(text, &$limits)?;
                    Ok(())
                },
                get: |scenario| scenario.$name.to_string(),
            }),+];
        }
    };
}
pub(crate) use keys;
