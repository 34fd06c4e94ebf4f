//! Threads that wait for each other in a loop of `cede::yield_now`, on real kernels and in virtual time.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use serde_json::Value;
use support::{lab::Lab, stderr};

/// What a pass may take, in times of the better of `sched_yield` and a futex.
const LIMIT: f64 = 1.3;
/// Two threads beside a busy one hand the CPU to each other as with a futex, and find that out on the way: 1.25 to 1.48
/// where yields forfeit a slice, and would take 120 to 190 times as long.
const HANDED_ON: f64 = 1.6;

#[test]
fn a_loop_is_as_fast_as_the_better_of_yield_and_futex_on_every_cached_kernel() {
    let Some(lab) = Lab::new() else { return };
    for (kernel, era) in lab.kernels() {
        let mut command = lab.cede();
        command.args(["lab", "exec", "--cpus=2", "--kernel", &kernel]);
        let output = command.args(["probe", "--spin", "--json=-"]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let probe: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = probe["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 18, "{probe:#}");
        for row in rows.iter().filter(|row| row["wait_by"] == "cede") {
            let handed_on =
                row["meeting"] == "ping-pong on 1 CPU" && row["busy"] == true && era == "eevdf-forfeit";
            let limit = if handed_on { HANDED_ON } else { LIMIT };
            assert!(row["ratio"].as_f64().unwrap() <= limit, "{kernel}: {row:#}");
        }
    }
}
