//! The list of steps, and the steps that are one or two commands.

use super::{Context, StepError, fuzz, instrumented, smoke, tests, tools, wiredtiger};
use crate::command::{cargo, run};

/// One named step.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) run: fn(&mut Context) -> Result<(), StepError>,
}

/// Every step, in order: tools before their users, tests last so that their count ends the output.
pub(super) const STEPS: &[Step] = &[
    Step {
        name: "tools",
        about: "install what the other steps need and is missing",
        run: |_| Ok(tools::ensure_all()?),
    },
    Step {
        name: "fmt",
        about: "formatting",
        run: |_| fmt(),
    },
    Step {
        name: "clippy",
        about: "lints of all targets, and what the oldest supported Rust does not have",
        run: |_| clippy(),
    },
    Step {
        name: "deny",
        about: "licences, sources and bans of dependencies",
        run: |_| deny(),
    },
    Step {
        name: "docs",
        about: "documentation builds without warnings",
        run: |_| docs(),
    },
    Step {
        name: "doctests",
        about: "examples in the documentation",
        run: tests::doc_tests,
    },
    Step {
        name: "fuzz",
        about: "a bounded run of every fuzz target",
        run: |_| fuzz::run_all(),
    },
    Step {
        name: "loom",
        about: "models of the gate, in every order of steps",
        run: instrumented::loom,
    },
    Step {
        name: "sanitizers",
        about: "tests of the primitive under AddressSanitizer",
        run: |_| instrumented::sanitizers(),
    },
    Step {
        name: "valgrind",
        about: "the same under Valgrind",
        run: |_| instrumented::valgrind(),
    },
    Step {
        name: "miri",
        about: "those without system calls under Miri, where the toolchain has it",
        run: |_| instrumented::miri(),
    },
    Step {
        name: "smoke",
        about: "`cede compare` once per storage engine",
        run: |_| smoke::run(),
    },
    Step {
        name: "wiredtiger",
        about: "lints and tests with the storage engine that is an option, where Debian has it",
        run: wiredtiger::check,
    },
    Step {
        name: "tests",
        about: "unit and integration tests, and examples",
        run: tests::tests,
    },
];

/// The steps with these names, in the order of [`STEPS`]; all of them if there are no names.
pub(super) fn select(names: &[String]) -> Result<Vec<&'static Step>, String> {
    if let Some(unknown) = names
        .iter()
        .find(|name| STEPS.iter().all(|step| step.name != name.as_str()))
    {
        let valid: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        return Err(format!(
            "unknown step `{unknown}`; expected one of: {}",
            valid.join(", ")
        ));
    }
    Ok(STEPS
        .iter()
        .filter(|step| names.is_empty() || names.iter().any(|name| name == step.name))
        .collect())
}

fn fmt() -> Result<(), StepError> {
    run(&mut cargo(["fmt", "--all", "--check"]))?;
    // The fuzz targets are a workspace of their own, which `--all` does not reach.
    run(&mut cargo([
        "fmt",
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--check",
    ]))?;
    Ok(())
}

fn clippy() -> Result<(), StepError> {
    run(&mut cargo([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    Ok(())
}

fn deny() -> Result<(), StepError> {
    // Advisories are left out: they come from a git repository that not every machine that checks can reach, and
    // a new advisory would fail an unchanged commit.
    run(tools::DENY
        .command()?
        .args(["check", "--hide-inclusion-graph", "bans", "licenses", "sources"]))?;
    Ok(())
}

fn docs() -> Result<(), StepError> {
    run(cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))?;
    Ok(())
}

#[cfg(test)]
mod unit {
    use super::*;

    fn selected(names: &[&str]) -> Result<Vec<&'static str>, String> {
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        select(&names).map(|steps| steps.iter().map(|step| step.name).collect())
    }

    #[test]
    fn no_names_select_every_step_and_tests_come_last() {
        let all = selected(&[]).unwrap();
        assert_eq!(all.len(), STEPS.len());
        assert_eq!(all.first(), Some(&"tools"));
        assert_eq!(all.last(), Some(&"tests"));
    }

    #[test]
    fn names_select_in_the_order_of_the_list_and_once() {
        assert_eq!(selected(&["tests", "fmt", "tests"]).unwrap(), ["fmt", "tests"]);
    }

    #[test]
    fn an_unknown_name_is_refused_in_one_line_that_lists_the_steps() {
        let error = selected(&["fmt", "lint"]).unwrap_err();
        assert!(error.starts_with("unknown step `lint`; expected one of: tools, fmt, clippy"));
        assert_eq!(error.lines().count(), 1);
    }

    #[test]
    fn names_of_steps_are_unique() {
        for (index, step) in STEPS.iter().enumerate() {
            assert!(STEPS[..index].iter().all(|earlier| earlier.name != step.name));
        }
    }
}
