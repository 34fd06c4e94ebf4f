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
        /// The primitive as it is meant to be used: it finds out what helps, and may hold requests back before dispatch.
        Cede = "cede",
        /// The same as a replacement of `sched_yield` and nothing more: it sees yield points, and no requests.
        CedeDropIn = "cede-drop-in",
        /// `sched_yield` at both yield points, but only after some CPU time, and within a budget of time.
        Budgeted = "budgeted",
        /// No yields; a request is held back while the oldest one has taken too long.
        Patience = "patience",
        /// `sched_yield` before receive, but only while the oldest request has taken too long.
        Age = "age",
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
        /// Before the receive, and before the dispatch of a request, where it may be held back.
        BeforeDispatch = "before-dispatch",
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
        /// What helps here and now.
        Auto = "auto",
        /// `sched_yield` within a budget.
        Budgeted = "budgeted",
        /// Hold requests back.
        Patience = "patience",
        /// `sched_yield` while a request has taken too long.
        Age = "age",
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
            Self::Cede | Self::CedeDropIn => PolicyChoice::Auto,
            Self::Budgeted => PolicyChoice::Budgeted,
            Self::Patience => PolicyChoice::Patience,
            Self::Age => PolicyChoice::Age,
        }
    }

    /// The yield points in use.
    #[must_use]
    pub const fn placement(self) -> Placement {
        match self {
            Self::Baseline
            | Self::BaseSlice750us
            | Self::Capped
            | Self::Nap
            | Self::CedeDropIn
            | Self::Budgeted => Placement::Both,
            Self::Cede | Self::Patience | Self::Age => Placement::BeforeDispatch,
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
