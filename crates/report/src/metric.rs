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
    pub fn all() -> impl Iterator<Item = Self> {
        let latencies = Operation::ALL.iter().flat_map(|&operation| {
            [Quantile::P50, Quantile::P99].map(|quantile| Self::Latency(operation, quantile))
        });
        std::iter::once(Self::Throughput).chain(latencies)
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

/// The name in JSON, such as `throughput` or `read_p50`.
impl std::fmt::Display for Metric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Throughput => f.write_str("throughput"),
            Self::Latency(operation, quantile) => write!(f, "{operation}_{}", quantile.name()),
        }
    }
}
