//! Settings that are one word out of a short list.

/// Defines an enum whose variants have a name in text: `Display`, `FromStr` and serde all use that name, and
/// `ALL` lists the variants in order.
macro_rules! choices {
    ($(#[$doc:meta])* $type:ident: $what:literal { $($(#[$variant_doc:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type { $($(#[$variant_doc])* $variant),+ }

        impl $type {
            /// Every choice, in the order in which it is listed to users.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used on the command line, in JSON and in tables.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|choice| choice.name() == text).ok_or_else(|| {
                    format!("unknown {} `{text}`; expected one of: {}", $what, [$($name),+].join(", "))
                })
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use choices;

choices! {
    /// Where the server keeps its documents.
    Engine: "engine" {
        /// A concurrent map in memory.
        Memory = "memory",
        /// The embedded, durable key-value store of the `fjall` crate.
        Fjall = "fjall",
        /// No data: a set amount of CPU work per operation, part of it under one lock.
        Synthetic = "synthetic",
        /// The embedded store of MongoDB, in programs that are built with it.
        Wiredtiger = "wiredtiger",
    }
}

choices! {
    /// Which threads the service executor counts when it decides whether more threads run than there are cores.
    Guard: "guard" {
        /// All connection threads, also those blocked in receive, as MongoDB does.
        Connections = "connections",
        /// Only the threads that are working on a request.
        Active = "active",
    }
}

choices! {
    /// How the guard's count is read. MongoDB releases differ.
    GuardCounter: "guard counter" {
        /// A relaxed atomic.
        Relaxed = "relaxed",
        /// One mutex for the whole process, taken at every yield point.
        Mutex = "mutex",
    }
}

choices! {
    /// What an acknowledged write of a durable engine (`fjall`, `wiredtiger`) has reached.
    JournalSync: "journal sync" {
        /// The operating system: it survives the death of the process, not a power failure.
        Os = "os",
        /// The disk: every write is followed by fsync.
        Disk = "disk",
    }
}
