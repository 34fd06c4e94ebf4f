//! What the command line says, and its exit status.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::net::TcpListener;

use serde_json::Value;
use support::{SHORT, run, stderr, stdout};

fn assert_usage(args: &[&str], expected: &str) {
    let output = run(args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains(expected), "{message}");
    assert_eq!(stdout(&output), "");
}

#[test]
fn wrong_use_is_one_line_that_says_what_was_expected() {
    assert_usage(
        &["compare", "--workload", "ycsb"],
        "ycsb_100update, ycsb_50read50update",
    );
    assert_usage(
        &["compare", "--variant", "fast"],
        "baseline, patch-f, after-send, no-yield",
    );
    assert_usage(
        &["compare", "--set", "engine=rocksdb"],
        "memory, fjall, synthetic",
    );
    assert_usage(
        &["compare", "--set", "thinktime=3"],
        "cpus, connections, think_us",
    );
    assert_usage(
        &["compare", "--set", "admission=fixed:0"],
        "expected none, probing, or fixed:N",
    );
    assert_usage(&["compare", "--set", "think_us"], "KEY=VALUE");
    assert_usage(&["compare", "--seconds", "0"], "0.01 to 86400");
    assert_usage(&["compare", "--repeat", "0"], "1..=1000");
    assert_usage(&["compare", "--backend", "moon"], "one of: native");
    assert_usage(
        &["compare", "--cpus", "4096"],
        "the CPUs that this process may use",
    );
    assert_usage(
        &["compare", "--set", "background_burst_us=6000"],
        "expected at most background_limit_us, which is 5000",
    );
    assert_usage(
        &["compare", "--set", "client_cpus=4096"],
        "client_cpus=4096 beside 1",
    );
    assert_usage(
        &["load", "--uri", "mongodb://127.0.0.1", "--realtime", "100"],
        "1..=99",
    );
    assert_usage(&["compare", "--scenario", "/no/such.toml"], "/no/such.toml");
    assert_usage(
        &["compare", "--json", "/no/such/folder/file"],
        "/no/such/folder/file",
    );
    let to_nowhere = ["--json", "/no/such/folder/file"];
    let load = ["load", "--uri", "mongodb://127.0.0.1"];
    for command in [&["probe"][..], &load[..]] {
        assert_usage(&[command, &to_nowhere].concat(), "/no/such/folder/file");
    }
    assert_usage(&["compare", "--html", "-"], "expected a file");
    assert_usage(&["compare", "--nonsense"], "--nonsense");
    assert_usage(&["serve", "--variant", "fast"], "baseline");
    assert_usage(&["load", "--uri", "http://127.0.0.1"], "mongodb://");
    assert_usage(
        &["load", "--uri", "mongodb://127.0.0.1", "--cpu-list", "x"],
        "0,2-3",
    );
    assert_usage(&["frobnicate"], "frobnicate");
}

#[test]
fn the_json_is_of_the_contract_and_alone_on_standard_output() {
    let output = run(&[&SHORT[..], &["--json", "-"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["schema"], 1);
    assert!(report["host"]["cpus"].as_u64() > Some(0));
    assert_eq!(report["scenario"]["connections"], 8);
    assert!(
        report["scenario"]["cpus"].as_u64() > Some(0),
        "what was derived is told"
    );
    let cells = report["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2);
    for (cell, variant) in cells.iter().zip(["baseline", "no-yield"]) {
        assert_eq!(cell["backend"], "native");
        assert_eq!(cell["workload"], "ycsb_50read50update");
        assert_eq!(cell["variant"], variant);
        for text in ["kernel", "release", "era"] {
            assert!(cell[text].is_string(), "{text}");
        }
        for kind in ["read", "update"] {
            let latency = &cell["operations"][kind];
            assert!(latency["count"].as_u64() > Some(0), "{kind}: {latency}");
            for quantile in ["mean_us", "p50_us", "p90_us", "p99_us", "p999_us", "max_us"] {
                assert!(latency[quantile].as_f64() > Some(0.0), "{kind} {quantile}");
            }
        }
        assert!(cell["throughput_ops"].as_f64() > Some(0.0));
        assert_eq!(cell["repeats"].as_array().unwrap().len(), 2);
        assert_eq!(cell["errors"], 0);
        assert!(cell["context_switches"]["voluntary_per_op"].as_f64() > Some(0.0));
        assert!(cell["background"]["cpu_share"].as_f64() > Some(0.0));
        assert!(cell["admission"].is_null() && cell["digest"].is_null());
        assert_eq!(cell["yields"]["parks_per_op"], 0.0);
        let notes = cell["notes"].to_string();
        assert!(
            notes.contains("server") && !notes.contains("decoded"),
            "both halves counted the same requests: {notes}"
        );
    }
    let per_op = |cell: usize| cells[cell]["yields"]["calls_per_op"].as_f64().unwrap();
    // A request that is under way at either end of the measured part counts on one side only.
    assert!((1.5..3.0).contains(&per_op(0)), "{}", per_op(0));
    assert!(per_op(1) < f64::EPSILON, "{}", per_op(1));
}

#[test]
fn the_page_is_one_file_and_the_table_is_on_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let output = run(&[&SHORT[..], &["--html", page.to_str().unwrap(), "--quiet"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "", "--quiet");
    let table = stdout(&output);
    assert!(
        table.contains("baseline") && table.contains("no-yield") && table.contains("server"),
        "{table}"
    );
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains("<svg") && page.ends_with("</html>\n"),
        "a whole page"
    );
    assert!(
        !page.contains("src=\"http") && !page.contains("href=\"http"),
        "nothing from elsewhere"
    );
}

#[test]
fn files_that_cannot_be_written_do_not_cost_the_table() {
    let output = run(&[
        &SHORT[..],
        &["--repeat=1", "--html=/dev/full", "--json=/dev/full"],
    ]
    .concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("no-yield"), "{}", stdout(&output));
    let message = stderr(&output);
    assert!(message.contains("cannot write /dev/full"), "{message}");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = run(&["serve", "--engine", "memory", "--port", &port]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output).lines().count(), 1);
    assert!(
        stderr(&output).contains(&format!("port {port} is taken")),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let output = run(&["serve", "--port", "0", "--data", path]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output).lines().count(), 1);
    assert!(stderr(&output).contains(path), "{}", stderr(&output));
}

#[test]
fn a_folder_that_is_in_use_is_named_as_that() {
    let folder = tempfile::tempdir().unwrap();
    let _first = support::Serve::durable("fjall", folder.path());
    let output = run(&["serve", "--port", "0", "--data", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output).lines().count(), 1);
    assert!(
        stderr(&output).contains("in use by another process"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn too_few_file_descriptors_are_one_line_before_anything_runs() {
    // The second limit has room for the connections, but not for what each half opens beside them.
    for limit in [60, 110] {
        let script = format!(
            "ulimit -n {limit}; exec '{}' compare --connections 100",
            env!("CARGO_BIN_EXE_cede")
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let message = stderr(&output);
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(
            message.contains(&format!("open files needed, {limit} allowed")),
            "{message}"
        );
    }
}

#[test]
fn a_server_that_is_not_there_is_one_line() {
    // Nobody listens on a port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let output = run(&["load", "--quiet", "--uri", &format!("mongodb://127.0.0.1:{port}")]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output).lines().count(), 1);
    assert!(stderr(&output).contains("cannot connect"), "{}", stderr(&output));
}

#[test]
fn the_halves_work_by_hand() {
    let server = support::Serve::start(&[
        "--engine",
        "synthetic",
        "--set",
        "read_cpu_us=5",
        "--variant",
        "capped",
    ]);
    let uri = server.uri();
    let load = [
        "load",
        "--quiet",
        "--uri",
        &uri,
        "--workload",
        "ycsb_95read5update",
        "--connections",
        "4",
    ];
    let short = [
        "--seconds",
        "0.3",
        "--set",
        "warmup_s=0.1",
        "--set",
        "records=100",
    ];
    let output = run(&[&load[..], &short[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("operations/s") && stdout(&output).contains("p99.9"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_an_open_loop_could_not_send_is_in_the_summary() {
    let server = support::Serve::start(&["--engine", "memory"]);
    let uri = server.uri();
    let load = ["load", "--quiet", "--uri", &uri, "--set", "records=100"];
    let flood = ["--connections=1", "--seconds=0.2", "--set=rate_ops=10000000"];
    let output = run(&[&load[..], &flood[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("arrivals found no free connection"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_load_of_which_nothing_succeeds_is_a_failure() {
    let server = support::Serve::start(&["--engine", "memory"]);
    let uri = format!("{}/empty", server.uri());
    let load = ["load", "--quiet", "--uri", &uri, "--no-load-phase"];
    let short = ["--connections", "2", "--seconds", "0.2", "--set", "warmup_s=0"];
    let output = run(&[&load[..], &short[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(
        message.contains("no operation completed, ") && message.contains("failed; first error: "),
        "{message}"
    );
    assert!(stdout(&output).contains("no operation completed"), "{message}");
}

#[test]
fn a_cell_of_which_nothing_completes_is_a_failed_one() {
    // The first request of the one connection does not come back in time: it takes 1 s of CPU.
    let slow = [
        "--engine=synthetic",
        "--connections=1",
        "--set=read_cpu_us=1000000",
        "--set=read_percent=100",
        "--set=warmup_s=0",
        "--variant=no-yield",
        "--repeat=1",
        "--seconds=0.05",
        "--json=-",
    ];
    let output = run(&[&SHORT[..1], &slow[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["partial"], true);
    let reasons = report["partial_reasons"].to_string();
    assert!(reasons.contains("no operation completed"), "{reasons}");
    assert_eq!(report["cells"].as_array().unwrap().len(), 0);
}

#[test]
fn probe_tells_what_it_knows_in_both_forms() {
    let output = run(&["probe"]);
    assert!(output.status.success());
    for row in ["kernel", "era", "base slice", "CPUs", "HZ", "preemption"] {
        assert!(
            stdout(&output).lines().any(|line| line.starts_with(row)),
            "{row}: {}",
            stdout(&output)
        );
    }
    let json: Value = serde_json::from_str(&stdout(&run(&["probe", "--json", "-"]))).unwrap();
    assert!(json["era"].is_string() && json["hz"].as_u64() > Some(0));
}

#[test]
fn output_that_cannot_be_written_is_one_line() {
    let script = format!("exec '{}' probe > /dev/full", env!("CARGO_BIN_EXE_cede"));
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains("cannot write to standard output"), "{message}");
}

#[test]
fn output_that_nobody_reads_ends_it_without_a_word() {
    let mut child = support::cede()
        .arg("probe")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(141), ""));
}

#[test]
fn without_a_command_the_help_is_printed_as_wrong_use() {
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    let help = stderr(&output);
    for command in ["compare", "serve", "load", "probe"] {
        assert!(
            help.lines().any(|line| line.trim_start().starts_with(command)),
            "{help}"
        );
    }
}

#[test]
fn help_lists_the_keys() {
    let output = run(&["compare", "--help"]);
    assert!(output.status.success());
    for key in scenario::Scenario::KEYS {
        assert!(stdout(&output).contains(key.name), "{}", key.name);
    }
}
