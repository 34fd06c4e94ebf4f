use crate::choices::choices;

choices! {
    /// A named mix of operations: over the YCSB core record set, or over those of a shop.
    Workload: "workload" {
        /// Updates only.
        Update100 = "ycsb_100update",
        /// Half reads, half updates: YCSB core workload A.
        Read50Update50 = "ycsb_50read50update",
        /// 95 % reads, 5 % updates: YCSB core workload B.
        Read95Update5 = "ycsb_95read5update",
        /// Reads only: YCSB core workload C.
        Read100 = "ycsb_100read",
        /// A web shop with products, carts and orders. The workload of that name in the original evaluation is not public;
        /// this one is our own.
        Ecommerce = "ecommerce",
    }
}

/// Which operations a workload consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// Reads and updates of YCSB records.
    Ycsb {
        /// Share of reads, in percent; the rest are updates.
        read_percent: u32,
    },
    /// What the visitors of a shop do, in fixed shares.
    Ecommerce,
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
            Self::Ecommerce => return Mix::Ecommerce,
        };
        Mix::Ycsb { read_percent }
    }
}
