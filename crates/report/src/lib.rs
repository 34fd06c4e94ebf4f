//! What the runs of a comparison say together: statistics, a table, JSON and an HTML page.
//!
//! A comparison runs a matrix of cells (kernel, workload, variant) in interleaved rounds. [`Comparison`] collects
//! the outcomes as they come in; [`Comparison::report`] makes a [`Report`] of those that are there, at the end or
//! after an interruption. Every cell is compared with the first cell of its workload, its reference.
//!
//! ```
//! use report::{CellId, Comparison};
//! use scenario::{Backend, Host, Outcome, Scenario, Variant, Workload};
//!
//! let cell = |variant| CellId {
//!     backend: Backend::Native,
//!     kernel: "6.12.118".to_owned(),
//!     release: "6.12.118+deb13-cloud-amd64".to_owned(),
//!     era: "eevdf-forfeit".to_owned(),
//!     workload: Workload::Read50Update50,
//!     variant,
//! };
//! let matrix = vec![cell(Variant::Baseline), cell(Variant::Capped)];
//! let mut comparison = Comparison::new(Host::default(), Scenario::default(), matrix);
//! for throughput_ops in [4000.0, 4100.0, 3900.0] {
//!     comparison.add(0, Outcome { throughput_ops, ..Outcome::default() });
//!     comparison.add(1, Outcome { throughput_ops: throughput_ops * 1.25, ..Outcome::default() });
//! }
//! let table = comparison.report().table(None);
//! assert!(table.contains("5000 +25%"));
//! ```

mod admission;
mod aggregate;
mod cell;
mod change;
mod comparison;
mod era;
mod format;
mod golden;
mod grid;
mod html;
mod json;
mod metric;
mod names;
mod notes;
mod off_cpu;
mod report;
mod side;
mod spin;
mod statistics;
mod table;
mod unique;
mod verdict;

pub use cell::{Cell, CellId};
pub use comparison::Comparison;
pub use golden::golden_table;
pub use metric::{Metric, Quantile};
pub use report::Report;
pub use spin::spin_table;
pub use statistics::Ratio;
