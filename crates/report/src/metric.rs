use scenario::{Operation, Outcome};

/// A number by which cells are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Operations per second.
    Throughput,
    /// Latency of an operation in us.
    Latency(Operation, Quantile),
}

/// A quantile of the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantile {
    /// The median.
    P50,
    /// The 99th percentile.
    P99,
}

impl Metric {
    /// Every metric, in the order in which tables and JSON list them.
    pub const ALL: [Self; 5] = [
        Self::Throughput,
        Self::Latency(Operation::Read, Quantile::P50),
        Self::Latency(Operation::Read, Quantile::P99),
        Self::Latency(Operation::Update, Quantile::P50),
        Self::Latency(Operation::Update, Quantile::P99),
    ];

    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Latency(Operation::Read, Quantile::P50) => "read_p50",
            Self::Latency(Operation::Read, Quantile::P99) => "read_p99",
            Self::Latency(Operation::Update, Quantile::P50) => "update_p50",
            Self::Latency(Operation::Update, Quantile::P99) => "update_p99",
        }
    }

    /// Its value in `outcome`, in operations per second or us; none if the operation did not occur.
    #[must_use]
    pub fn of(self, outcome: &Outcome) -> Option<f64> {
        match self {
            Self::Throughput => Some(outcome.throughput_ops),
            Self::Latency(operation, quantile) => {
                let latency = outcome.operations.get(&operation)?;
                Some(match quantile {
                    Quantile::P50 => latency.p50_us,
                    Quantile::P99 => latency.p99_us,
                })
            }
        }
    }

    /// Whether a change by the factor `ratio` is for the better.
    #[must_use]
    pub fn improves(self, ratio: f64) -> bool {
        match self {
            Self::Throughput => ratio > 1.0,
            Self::Latency(..) => ratio < 1.0,
        }
    }
}

impl Quantile {
    /// The name in tables and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P99 => "p99",
        }
    }
}
