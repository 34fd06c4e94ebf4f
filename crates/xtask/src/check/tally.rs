use std::fmt;

/// Counts of tests, summed over the test binaries that ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Tally {
    /// Adds the counts of a line like `test result: ok. 3 passed; 0 failed; 1 ignored; …`; other lines count nothing.
    pub(super) fn observe(&mut self, line: &str) {
        let Some((_verdict, counts)) = line
            .strip_prefix("test result: ")
            .and_then(|result| result.split_once(". "))
        else {
            return;
        };
        for count in counts.split("; ") {
            let Some((number, what)) = count.split_once(' ') else {
                continue;
            };
            let number = number.parse().unwrap_or(0);
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.skipped += number,
                _ => {}
            }
        }
    }

    /// Counts a test binary that failed as a whole: it did not build, or died before it could report.
    pub(super) fn add_failure(&mut self) {
        self.failed += 1;
    }

    pub(super) fn failed(&self) -> u64 {
        self.failed
    }

    /// Tests that ran to a verdict.
    pub(super) fn executed(&self) -> u64 {
        self.passed + self.failed
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_add_up_and_others_count_nothing() {
        let mut tally = Tally::default();
        for line in [
            "running 4 tests",
            "test a ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.01s",
            "test result: FAILED. 2 passed; 5 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s",
            " test result: ok. 100 passed; 0 failed; 0 ignored",
            "test result: ok",
            "",
        ] {
            tally.observe(line);
        }
        assert_eq!(tally.to_string(), "5 passed, 5 failed, 1 skipped");
        assert_eq!(tally.executed(), 10);
    }

    #[test]
    fn ignored_tests_are_not_executed() {
        let mut tally = Tally::default();
        tally.observe(
            "test result: ok. 0 passed; 0 failed; 9 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        );
        assert_eq!(tally.executed(), 0);
        assert_eq!(tally.to_string(), "0 passed, 0 failed, 9 skipped");
    }
}
