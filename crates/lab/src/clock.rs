use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// What time is in a guest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Clock {
    /// One instruction takes one nanosecond, and idle time is skipped: the same digits on every host.
    #[default]
    Instructions,
    /// Real time on the host's CPUs.
    Kvm,
    /// Real time, emulated: one host thread per guest CPU.
    Tcg,
}

impl Clock {
    /// Every clock, in the order in which it is listed to users.
    pub const ALL: [Self; 3] = [Self::Instructions, Self::Kvm, Self::Tcg];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Kvm => "kvm",
            Self::Tcg => "tcg",
        }
    }

    /// Whether a result is the same each time.
    #[must_use]
    pub const fn is_deterministic(self) -> bool {
        matches!(self, Self::Instructions)
    }

    /// Arguments for QEMU.
    pub(crate) const fn arguments(self) -> &'static [&'static str] {
        match self {
            // Random numbers from a seed, and a calendar that starts on the same day.
            Self::Instructions => &[
                "-accel",
                "tcg,thread=single",
                "-icount",
                "shift=0,sleep=off",
                "-rtc",
                "clock=vm,base=2026-01-01",
                "-cpu",
                "qemu64,+rdrand",
                "-seed",
                "1",
            ],
            Self::Kvm => &["-accel", "kvm", "-cpu", "host"],
            Self::Tcg => &["-accel", "tcg,thread=multi", "-cpu", "qemu64"],
        }
    }

    /// Arguments for the kernel of a guest with `cpus` CPUs.
    pub(crate) const fn kernel_arguments(self, cpus: u32) -> &'static str {
        match self {
            // To calibrate the timer of the APIC, the kernel waits for 100 ms in a loop of PAUSE instructions, at each of
            // which QEMU leaves its translated code: half of the time of a boot. One CPU can do with the HPET.
            // The random pool is ready at once with numbers of the CPU; else the first reader spends a second on making some.
            Self::Instructions if cpus == 1 => {
                "tsc=reliable softlockup_panic=1 random.trust_cpu=on noapictimer"
            }
            Self::Instructions => "tsc=reliable softlockup_panic=1 random.trust_cpu=on",
            Self::Kvm => "nowatchdog",
            // Without polling timers get lost; a TSC that is found unstable makes the kernel patch itself, and fall.
            Self::Tcg => "tsc=reliable nowatchdog idle=poll",
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Clock {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|clock| clock.name() == text)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                format!("unknown clock `{text}`; expected one of: {names}")
            })
    }
}
