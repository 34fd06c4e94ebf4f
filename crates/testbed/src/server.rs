//! The server: MongoDB's transport layer, commands over a small storage engine, and the scenario's background threads.

pub mod admission;
pub mod background;
pub mod catalog;
pub mod commands;
mod services;
mod status;
pub mod storage;
pub mod threads;
pub mod transport;

pub(crate) use services::files_needed;
pub use services::{Server, ServerError, ServerPlan, Services};
pub use status::{CedeStatus, SwitchStatus};
