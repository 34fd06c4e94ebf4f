use crate::choices::choices;

choices! {
    /// A way to give up the CPU: a policy at a set of yield points.
    Variant: "variant" {
        /// `sched_yield` at both yield points, as MongoDB does.
        Baseline = "baseline",
        /// `sched_yield` before receive only: the original evaluation's Patch F.
        PatchF = "patch-f",
        /// `sched_yield` after send only.
        AfterSend = "after-send",
        /// No yields.
        NoYield = "no-yield",
        /// `sched_yield` at both yield points, on a host whose EEVDF base slice is set to 750 us.
        BaseSlice750us = "base-slice-750us",
        /// A custom slice for each connection thread, and `sched_yield` at both yield points.
        Capped = "capped",
        /// A sleep of 1 ns at both yield points.
        Nap = "nap",
    }
}

choices! {
    /// Which yield points are in use.
    Placement: "placement" {
        /// None of them.
        None = "none",
        /// Before the receive of the next request.
        BeforeReceive = "before-receive",
        /// After the reply was sent.
        AfterSend = "after-send",
        /// Both.
        Both = "both",
    }
}

choices! {
    /// The policy of the primitive that decides at a yield point.
    PolicyChoice: "policy" {
        /// `sched_yield`.
        Native = "native",
        /// Go on.
        None = "none",
        /// Sleep for 1 ns.
        Nap = "nap",
        /// Run with a custom slice and call `sched_yield`.
        Capped = "capped",
    }
}

impl Variant {
    /// The variants that a comparison runs unless others are named.
    pub const DEFAULT: [Self; 4] = [Self::Baseline, Self::PatchF, Self::NoYield, Self::Capped];

    /// The policy at the yield points.
    #[must_use]
    pub const fn policy(self) -> PolicyChoice {
        match self {
            Self::Baseline | Self::PatchF | Self::AfterSend | Self::BaseSlice750us => PolicyChoice::Native,
            Self::NoYield => PolicyChoice::None,
            Self::Capped => PolicyChoice::Capped,
            Self::Nap => PolicyChoice::Nap,
        }
    }

    /// The yield points in use.
    #[must_use]
    pub const fn placement(self) -> Placement {
        match self {
            Self::Baseline | Self::BaseSlice750us | Self::Capped | Self::Nap => Placement::Both,
            Self::PatchF => Placement::BeforeReceive,
            Self::AfterSend => Placement::AfterSend,
            Self::NoYield => Placement::None,
        }
    }

    /// The EEVDF base slice that the variant sets on the whole host, in us.
    #[must_use]
    pub const fn base_slice_us(self) -> Option<u64> {
        match self {
            Self::BaseSlice750us => Some(750),
            _ => None,
        }
    }
}
