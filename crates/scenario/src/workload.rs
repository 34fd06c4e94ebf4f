use crate::choices::choices;

choices! {
    /// A named mix of operations over the YCSB core record set.
    Workload: "workload" {
        /// Updates only.
        Update100 = "ycsb_100update",
        /// Half reads, half updates: YCSB core workload A.
        Read50Update50 = "ycsb_50read50update",
        /// 95 % reads, 5 % updates: YCSB core workload B.
        Read95Update5 = "ycsb_95read5update",
        /// Reads only: YCSB core workload C.
        Read100 = "ycsb_100read",
    }
}

/// Shares of the operations of a workload, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Share of reads; the rest are updates.
    pub read_percent: u32,
}

impl Workload {
    /// The mix that the workload's name stands for.
    #[must_use]
    pub const fn mix(self) -> Mix {
        let read_percent = match self {
            Self::Update100 => 0,
            Self::Read50Update50 => 50,
            Self::Read95Update5 => 95,
            Self::Read100 => 100,
        };
        Mix { read_percent }
    }
}
