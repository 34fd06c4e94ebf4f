//! What a cede experiment runs and what comes out of it.
//!
//! A [`Scenario`] holds everything that decides a result: the load, the server's settings, the work of an
//! operation and the background beside it. A backend turns one scenario, [`Workload`] and [`Variant`] into one
//! [`Outcome`]. These types, and nothing else, cross the borders between the backends and the reports.

mod admission;
mod auto;
mod backend;
mod check;
mod choices;
mod file;
mod golden;
mod host;
mod key;
mod off_cpu;
mod outcome;
mod run;
mod scenario;
mod spin;
mod value;
mod variant;
mod workload;

pub use admission::{Admission, AdmissionOutcome, Decision, Tick};
pub use auto::Auto;
pub use backend::Backend;
pub use check::ScenarioError;
pub use choices::{Engine, Guard, GuardCounter, JournalSync};
pub use file::FileError;
pub use golden::{Company, GiveUp, GiveUpRow, GoldenProbe, YieldRow};
pub use host::Host;
pub use key::{Key, SetError};
pub use off_cpu::{Cause, OffCpu, OffTime, ThreadKind, ThreadOffCpu};
pub use outcome::{
    Background, ContextSwitches, CpuUse, Distribution, Operation, OperationOutcome, Outcome, Yields,
};
pub use run::Run;
pub use scenario::Scenario;
pub use spin::{Meeting, SpinProbe, SpinRow, WaitBy};
pub use variant::{Placement, PolicyChoice, Variant};
pub use workload::{Mix, Workload};
