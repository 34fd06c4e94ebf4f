//! How many instructions the paths take that every request takes: `cargo bench -p cede --bench instructions`.
//!
//! Runs itself under callgrind, which counts in the functions `counted_*` alone. Counts are the same on each run but for what
//! depends on the time: how often a session looks around. Callgrind sees the process and not the kernel, and there the
//! clock is read by a system call, without the vDSO.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and has nobody to report an error to"
)]

use std::env;
use std::hint::black_box;
use std::process::{Command, ExitCode};

use cede::{Class, Domain, Policy, Session};

const REPEATS: u64 = 100_000;

/// A path, and how many instructions it may take.
struct Path {
    name: &'static str,
    policy: Policy,
    of: Of,
    limit: u64,
}

enum Of {
    YieldPoint,
    Request,
}

const PATHS: &[Path] = &[
    Path {
        name: "yield_point/auto",
        policy: Policy::Auto,
        of: Of::YieldPoint,
        limit: 40,
    },
    Path {
        name: "yield_point/none",
        policy: Policy::None,
        of: Of::YieldPoint,
        limit: 40,
    },
    Path {
        name: "begin_finish/auto",
        policy: Policy::Auto,
        of: Of::Request,
        limit: 200,
    },
    Path {
        name: "begin_finish/none",
        policy: Policy::None,
        of: Of::Request,
        limit: 100,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = env::args().collect();
    let args: Vec<&str> = args.iter().skip(1).map(String::as_str).collect();
    match args.as_slice() {
        ["measured", name] => measured(name),
        args if args.contains(&"--bench") => return count_all(),
        // `cargo test --benches` passes no such flag and only wants to know that this compiles and starts.
        _ => println!("run as `cargo bench -p cede --bench instructions`"),
    }
    ExitCode::SUCCESS
}

/// The process that callgrind watches.
fn measured(name: &str) {
    let path = PATHS.iter().find(|path| path.name == name).unwrap();
    let _kernel = cede::era::current();
    let domain = Domain::new(path.policy);
    // The session knows its requests, and that they are begun and finished.
    let session = repeat_requests(domain.session());
    drop(match path.of {
        Of::YieldPoint => counted_yield_points(session),
        Of::Request => counted_requests(session),
    });
}

/// Callgrind counts from where this is entered to where it is left. The loop itself is four of the instructions.
#[inline(never)]
fn counted_yield_points(mut session: Session) -> Session {
    for _ in 0..REPEATS {
        black_box(&session.yield_point());
    }
    session
}

/// The same.
#[inline(never)]
fn counted_requests(session: Session) -> Session {
    repeat_requests(session)
}

fn repeat_requests(session: Session) -> Session {
    (0..REPEATS).fold(session, |session, _| session.begin(Class::Kind(1)).finish())
}

fn count_all() -> ExitCode {
    println!("{:20} {:>12} {:>6}", "path", "instructions", "limit");
    let mut all_within = true;
    for path in PATHS {
        let Some(all) = count(path.name) else {
            println!(
                "no counts from `valgrind --tool=callgrind`; is valgrind installed? (Debian: apt-get install valgrind)"
            );
            return ExitCode::FAILURE;
        };
        let each = all as f64 / REPEATS as f64;
        println!("{:20} {each:>12.1} {:>6}", path.name, path.limit);
        all_within &= each <= path.limit as f64;
    }
    if all_within {
        ExitCode::SUCCESS
    } else {
        println!("above a limit");
        ExitCode::FAILURE
    }
}

/// Instructions of all repeats of a path.
fn count(name: &str) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=instructions::counted_*")
        .arg(env::current_exe().unwrap())
        .args(["measured", name])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    // ==1234== Collected : 5678
    let (_, count) = text.split_once("Collected : ")?;
    count.split_whitespace().next()?.parse().ok()
}
