//! The statistics behind a comparison: medians within a cell, and ratios between cells with intervals.
//!
//! Rounds are interleaved (A B C, A B C, ...), so whatever drifts on the machine hits all cells of a round alike.
//! Ratios are therefore formed within a round first and summarised afterwards (paired design), on the log scale,
//! on which a ratio and its inverse are equally far from 1: the summary is the geometric mean, the only mean
//! under which normalised results do not depend on the reference (Fleming and Wallace, "How not to lie with
//! statistics", Communications of the ACM 29(3), 1986).

mod bootstrap;
mod quantile;
mod random;
mod ratio;
mod student;

pub(crate) use quantile::median;
pub use ratio::Ratio;
