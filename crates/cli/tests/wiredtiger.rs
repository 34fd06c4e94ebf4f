//! The engine wiredtiger by the command line; and without it, how to get it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

#[cfg(not(feature = "wiredtiger"))]
#[test]
fn a_program_without_the_engine_says_how_to_build_one() {
    for command in ["compare", "serve"] {
        let output = support::run(&[command, "--engine", "wiredtiger"]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let line = support::stderr(&output);
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(
            line.contains("cargo build --release -p cli --features wiredtiger"),
            "{line}"
        );
    }
}

#[cfg(feature = "wiredtiger")]
mod with_it {
    use super::support::{Serve, run, stderr, stdout};

    /// What the server's process holds, in MiB (`proc_pid_statm(5)`).
    fn resident_mib(server: &Serve) -> usize {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", server.pid())).unwrap();
        let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
        pages * rustix::param::page_size() / (1 << 20)
    }

    #[test]
    fn many_connections_go_without_errors_and_memory_stays_flat() {
        // The default cache has hardly room for the documents, and none for their changes as well. Few updates: on a
        // machine with other work, those of one document can be in each other's way for longer than a client waits.
        let server = Serve::start(&["--engine=wiredtiger", "--variant=no-yield"]);
        let load = |seconds: &str| {
            let uri = server.uri();
            let load = [
                "load",
                "--quiet",
                "--uri",
                &uri,
                "--json=-",
                "--connections=128",
                "--workload=ycsb_95read5update",
            ];
            let output = run(&[&load[..], &["--set=warmup_s=0.1", "--seconds", seconds]].concat());
            assert!(output.status.success(), "{}", stderr(&output));
            let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
            assert_eq!(report["errors"], 0, "{}", report["first_error"]);
            resident_mib(&server)
        };
        let (_filled, before, after) = (load("0.5"), load("0.5"), load("2"));
        assert!(after <= before + 16, "{before} MiB, then {after} MiB");
    }

    #[test]
    fn a_comparison_counts_its_threads_as_background() {
        let output = run(&[
            "compare",
            "--quiet",
            "--json=-",
            "--engine=wiredtiger",
            "--workload=ycsb_100update",
            "--connections=8",
            "--seconds=0.5",
            "--repeat=1",
            "--variant=baseline",
            "--set=warmup_s=0.1",
            "--set=records=2000",
            "--set=wiredtiger_cache_mb=1",
            "--set=background_us_per_update=0",
            "--set=patrol_busy_us=0",
        ]);
        assert!(output.status.success(), "{}", stderr(&output));
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        let cell = &report["cells"][0];
        assert_eq!(cell["errors"], 0, "{cell}");
        assert!(
            cell["background"]["cpu_share"].as_f64().unwrap() > 0.0,
            "eviction is all that there is: {cell}"
        );
    }
}
