//! Scenario files: those that the project ships, and wrong ones.
#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in its helpers"
)]

use std::{fs, path::Path};

use scenario::{Auto, Engine, Scenario};

fn apply(text: &str) -> Result<Scenario, String> {
    let file = std::env::temp_dir().join(format!(
        "cede-scenario-{}-{}.toml",
        std::process::id(),
        text.len()
    ));
    fs::write(&file, text).unwrap();
    let mut scenario = Scenario::default();
    let result = scenario.apply_file(&file).map_err(|error| error.to_string());
    fs::remove_file(&file).unwrap();
    result.map(|()| scenario)
}

#[test]
fn every_shipped_file_applies_and_changes_something() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    assert!(!files.is_empty());
    for file in files {
        let mut scenario = Scenario::default();
        scenario.apply_file(&file).unwrap();
        assert_ne!(scenario, Scenario::default(), "{}", file.display());
    }
}

#[test]
fn values_may_be_written_as_toml_or_as_text() {
    let scenario =
        apply("engine = \"memory\"\nconnections = 5\nthink_us = \"7\"\nseconds = 2\ncpus = \"auto\"\n")
            .unwrap();
    assert_eq!(
        (scenario.engine, scenario.connections),
        (Engine::Memory, Auto::Given(5))
    );
    assert_eq!(
        (scenario.think_us, scenario.seconds.to_bits()),
        (7, 2.0_f64.to_bits())
    );
}

#[test]
fn wrong_files_are_one_line_that_names_file_and_fault() {
    for (text, fault) in [
        ("connections = ", "not TOML"),
        ("threads = 3\n", "unknown key `threads`"),
        ("lock_percent = 101\n", "expected a number from 0 to 100"),
        ("[server]\nengine = \"memory\"\n", "unknown key `server`"),
    ] {
        let error = apply(text).unwrap_err();
        assert!(error.contains(fault) && error.contains(".toml"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let missing = Scenario::default()
        .apply_file(Path::new("/no/such/file.toml"))
        .unwrap_err();
    assert!(missing.to_string().contains("/no/such/file.toml"));
}
