//! The arguments that several commands share.

use std::path::PathBuf;

use clap::Args;
use scenario::{Backend, Scenario, SetError};
use testbed::{native::CpuList, server::storage};

use crate::failure::Failure;

/// The scenario: a file, single keys, and short forms for the most used ones.
#[derive(Debug, Args)]
pub(crate) struct ScenarioArgs {
    /// Scenario file: TOML with the keys that --set takes
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Open connections
    #[arg(long, value_name = "N")]
    connections: Option<String>,
    /// CPUs of the server
    #[arg(long, value_name = "N")]
    cpus: Option<String>,
    /// Length of the measured part
    #[arg(long, value_name = "S")]
    seconds: Option<String>,
    /// Seed of the client's random choices
    #[arg(long, value_name = "N")]
    seed: Option<String>,
    /// Where documents are kept
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// Set one key of the scenario; see the list below
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl ScenarioArgs {
    /// The scenario: the defaults given, then the file, then --set, then the short forms.
    pub(crate) fn read(&self, mut scenario: Scenario) -> Result<Scenario, Failure> {
        if let Some(file) = &self.scenario {
            scenario.apply_file(file).map_err(Failure::usage)?;
        }
        self.apply(&mut scenario).map_err(Failure::usage)?;
        scenario.check().map_err(Failure::usage)?;
        storage::check(scenario.engine).map_err(Failure::usage)?;
        Ok(scenario)
    }

    fn apply(&self, scenario: &mut Scenario) -> Result<(), SetError> {
        for pair in &self.set {
            scenario.set(pair)?;
        }
        let short_forms = [
            ("connections", &self.connections),
            ("cpus", &self.cpus),
            ("seconds", &self.seconds),
            ("seed", &self.seed),
            ("engine", &self.engine),
        ];
        for (key, value) in short_forms {
            if let Some(value) = value {
                scenario.set_key(key, value)?;
            }
        }
        Ok(())
    }
}

/// The keys of a scenario, for the end of a command's help.
pub(crate) fn keys_help() -> String {
    let width = Scenario::KEYS.iter().map(|key| key.name.len()).max().unwrap_or(0);
    let (native, lab) = (Backend::Native.scenario(), Backend::Lab.scenario());
    let lines = Scenario::KEYS.iter().map(|key| {
        let (here, there) = (key.get(&native), key.get(&lab));
        let there = if here == there {
            String::new()
        } else {
            format!("; in the lab {there}")
        };
        format!("  {:width$}  {} [default: {here}{there}]", key.name, key.meaning)
    });
    format!(
        "Keys for --set and for scenario files:\n{}",
        lines.collect::<Vec<_>>().join("\n")
    )
}

/// Where a half runs.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// CPUs to run on, such as 0,2-3; all unless given
    #[arg(long, value_name = "LIST")]
    cpu_list: Option<String>,
    /// End when the process that started this one, of this id, ends
    #[arg(long, hide = true, value_name = "PID")]
    parent: Option<u32>,
}

impl PlaceArgs {
    /// Applies them to this process. To be called before any other thread is started.
    pub(crate) fn apply(&self) -> Result<(), Failure> {
        if let Some(list) = &self.cpu_list {
            let list: CpuList = list.parse().map_err(Failure::usage)?;
            list.bind().map_err(|error| {
                Failure::usage(format!(
                    "cannot run on CPU {list}: {error}; expected CPUs that this process may use"
                ))
            })?;
        }
        if let Some(parent) = self.parent {
            testbed::native::end_with_parent(parent).map_err(Failure::run)?;
        }
        Ok(())
    }
}
