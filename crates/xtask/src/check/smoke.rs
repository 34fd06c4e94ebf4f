//! One short comparison per storage engine, judged by its exit status and its JSON document.

use serde_json::Value;

use super::StepError;
use crate::command::{capture, cargo, judge, shown};

const ENGINES: [&str; 3] = ["memory", "fjall", "synthetic"];
const VARIANTS: [&str; 2] = ["baseline", "no-yield"];

pub(super) fn run() -> Result<(), StepError> {
    for engine in ENGINES {
        let mut compare = cargo(["run", "--quiet", "--package", "cli", "--bin", "cede", "--"]);
        compare.args([
            "compare",
            "--set",
            &format!("engine={engine}"),
            "--set",
            "records=500",
        ]);
        compare.args(["--seconds", "1", "--repeat", "1"]);
        compare.args(VARIANTS.iter().flat_map(|variant| ["--variant", variant]));
        compare.args(["--json", "-"]);
        let (status, stdout) = capture(&mut compare)?;
        judge(&compare, status)?;
        let cells = cells(&stdout).map_err(|reason| StepError::Result {
            command: format!("`{}`", shown(&compare)),
            reason,
        })?;
        println!("{engine}: {cells}");
    }
    Ok(())
}

/// The result in one line if `stdout` is exactly one JSON document of a comparison in which every variant did work.
fn cells(stdout: &[u8]) -> Result<String, String> {
    let document: Value = serde_json::from_slice(stdout)
        .map_err(|error| format!("standard output is not one JSON document: {error}"))?;
    let schema = document.get("schema").and_then(Value::as_u64);
    if schema != Some(1) {
        return Err("`schema` is not 1".to_owned());
    }
    let cells = document
        .get("cells")
        .and_then(Value::as_array)
        .ok_or("`cells` is not an array")?;
    let variants: Vec<_> = cells
        .iter()
        .map(|cell| cell.get("variant").and_then(Value::as_str).unwrap_or_default())
        .collect();
    if variants != VARIANTS {
        return Err(format!("cells of {variants:?}: expected {VARIANTS:?}"));
    }
    let rates = cells.iter().zip(VARIANTS).map(|(cell, variant)| {
        match cell.get("throughput_ops").and_then(Value::as_f64) {
            Some(rate) if rate > 0.0 => Ok(format!("{variant} {rate:.0} ops/s")),
            _ => Err(format!("{variant} did no operation")),
        }
    });
    Ok(rates.collect::<Result<Vec<_>, _>>()?.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(cells_of: &str) -> Result<String, String> {
        cells(format!(r#"{{"schema": 1, "cells": [{cells_of}]}}"#).as_bytes())
    }

    const BASELINE: &str = r#"{"variant": "baseline", "throughput_ops": 10.4}"#;

    #[test]
    fn both_variants_with_work_are_accepted() {
        let line = judged(&format!(
            r#"{BASELINE}, {{"variant": "no-yield", "throughput_ops": 9}}"#
        ));
        assert_eq!(line.unwrap(), "baseline 10 ops/s, no-yield 9 ops/s");
    }

    #[test]
    fn a_missing_cell_or_one_without_work_is_refused() {
        assert!(judged(BASELINE).unwrap_err().contains("expected"));
        let idle = judged(&format!(
            r#"{BASELINE}, {{"variant": "no-yield", "throughput_ops": 0}}"#
        ));
        assert_eq!(idle.unwrap_err(), "no-yield did no operation");
    }

    #[test]
    fn anything_beside_the_document_is_refused() {
        assert!(
            cells(b"{\"schema\": 1, \"cells\": []} done")
                .unwrap_err()
                .contains("one JSON document")
        );
        assert!(cells(b"").unwrap_err().contains("one JSON document"));
        assert_eq!(cells(b"{\"schema\": 2}").unwrap_err(), "`schema` is not 1");
    }
}
