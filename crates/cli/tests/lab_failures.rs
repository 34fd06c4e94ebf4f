//! What goes wrong in the lab ends in one clear line, loses nothing that was finished, and leaves the cache usable.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::{
    fs,
    io::Read,
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use support::{
    children,
    lab::{Lab, SHORT},
    stderr, stdout,
};

fn compare(lab: &Lab, args: &[&str]) -> Command {
    let mut command = lab.cede();
    command
        .args(["compare", "--backend=lab", "--json=-"])
        .args(SHORT)
        .args(args);
    command
}

/// The QEMU that `parent` has started, once it has.
fn machine_of(parent: u32) -> u32 {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        if let Some(machine) = children(parent).into_iter().find(|&id| is_machine(id)) {
            return machine;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("no QEMU in time");
}

/// Whether the process `id` is there and runs a QEMU.
fn is_machine(id: u32) -> bool {
    fs::read_to_string(format!("/proc/{id}/cmdline")).is_ok_and(|command| command.contains("-kernel"))
}

/// Whether the process was still there.
fn kill(process: u32) -> bool {
    let killed = Command::new("kill")
        .args(["-KILL", &process.to_string()])
        .status();
    killed.unwrap().success()
}

#[test]
fn a_kernel_that_nobody_knows_or_that_is_none_is_refused() {
    let Some(lab) = Lab::new() else { return };
    let garbage = tempfile::NamedTempFile::new().unwrap();
    fs::write(garbage.path(), vec![0x90; 100_000]).unwrap();
    let path = garbage.path().to_str().unwrap();
    for (kernel, status, expected) in [
        ("5.oops", 2, "no kernel `5.oops`; expected one of 6.1, "),
        (path, 2, "no kernel"),
        ("/no/such/vmlinuz", 2, "/no/such/vmlinuz"),
    ] {
        let output = compare(&lab, &["--variant=baseline", "--kernel", kernel])
            .output()
            .unwrap();
        assert_eq!(stdout(&output), "");
        let message = stderr(&output);
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.contains(expected) || message.contains(path), "{message}");
        assert_eq!(output.status.code(), Some(status), "{message}");
    }
}

#[test]
fn more_cpus_than_a_machine_gets_are_refused() {
    let Some(lab) = Lab::new() else { return };
    let output = compare(&lab, &["--kernel=6.12", "--cpus=64", "--set=client_cpus=1"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "cede: cpus and client_cpus are 65 together: expected at most 64 in the lab\n"
    );
}

/// The header is a kernel's, and half of what follows is nonsense.
#[test]
fn an_image_that_does_not_boot_fails_its_cells_alone() {
    let Some(lab) = Lab::new() else { return };
    let mut image = fs::read(lab.image("6.12.")).unwrap();
    let middle = image.len() / 2;
    image[middle..].fill(0x5a);
    let broken = tempfile::NamedTempFile::new().unwrap();
    fs::write(broken.path(), &image).unwrap();
    let output = compare(
        &lab,
        &["--variant=baseline", "--boot-limit=60", "--jobs=1", "--kernel"],
    )
    .arg(broken.path())
    .arg("--kernel=6.12")
    .output()
    .unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("ycsb_50read50update baseline: "), "{message}");
    assert!(message.contains("the record is in "), "{message}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["partial"], true);
    assert_eq!(report["cells"].as_array().unwrap().len(), 1, "{report:#}");
}

/// Two cells, with the first machine that there is killed.
fn killed_at_first(lab: &Lab) -> Output {
    let mut command = compare(
        lab,
        &[
            "--variant=baseline",
            "--variant=no-yield",
            "--kernel=6.12",
            "--jobs=1",
        ],
    );
    let running = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One may end by itself just now.
    while !kill(machine_of(running.id())) {}
    running.wait_with_output().unwrap()
}

#[test]
fn a_qemu_that_is_killed_fails_one_cell() {
    let Some(lab) = Lab::new() else { return };
    // The first machine may be a short boot that tries the clock, and have done its work when it is killed: then no cell
    // fails, and it takes another go.
    let output = (0..10)
        .map(|_| killed_at_first(&lab))
        .find(|output| !output.status.success())
        .unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("baseline: QEMU ended early, with signal 9"),
        "{message}"
    );
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["cells"][0]["variant"], "no-yield", "{report:#}");
    assert_eq!(report["partial"], true);
    // The cache is as it was.
    let again = compare(&lab, &["--variant=baseline", "--kernel=6.12"])
        .output()
        .unwrap();
    assert!(again.status.success(), "{}", stderr(&again));
}

#[test]
fn no_machine_survives_this_program() {
    let Some(lab) = Lab::new() else { return };
    let mut command = compare(&lab, &["--variant=baseline", "--kernel=6.12", "--jobs=1"]);
    let mut running = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let qemu = machine_of(running.id());
    running.kill().unwrap();
    running.wait().unwrap();
    // QEMU has nothing of ours but this pipe's other end, which nobody holds once all are gone.
    let mut rest = String::new();
    running.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while is_machine(qemu) {
        assert!(Instant::now() < deadline, "QEMU {qemu} is still there");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_full_disk_is_said_and_leaves_a_usable_cache() {
    let Some(lab) = Lab::new() else { return };
    let disk = tempfile::tempdir().unwrap();
    let image = lab.image("6.12.");
    let on_disk = |script: &str| run_on_disk(disk.path(), &image, script);
    if !on_disk("true").status.success() {
        #[allow(clippy::print_stderr, reason = "the line that a skipped test owes")]
        {
            eprintln!("skipped: needs a user namespace, in which a tmpfs can be mounted");
        }
        return;
    }
    let cell = SHORT.join(" ");
    let output = on_disk(&format!(
        "run() {{ \"$CEDE\" compare --backend=lab --variant=baseline --kernel \"$IMAGE\" --json=- {cell} | grep -c throughput_ops; }}
         run
         mount -o remount,size=200m \"$CEDE_CACHE\"
         run"
    ));
    let message = stderr(&output);
    assert!(message.contains("No space left on device"), "{message}");
    assert_eq!(stdout(&output).lines().next(), Some("0"), "{message}");
    assert_ne!(stdout(&output).lines().last(), Some("0"), "{message}");
}

/// Runs `script` in a mount namespace in which the cache is a disk of 1 MiB.
fn run_on_disk(disk: &Path, image: &Path, script: &str) -> Output {
    // QEMU is named, because the cache that holds it is hidden.
    let list = Command::new(env!("CARGO_BIN_EXE_cede"))
        .args(["lab", "list"])
        .output()
        .unwrap();
    assert!(list.status.success());
    Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .arg(format!(
            "cp -a \"$CACHE/qemu\" \"$CEDE_CACHE.qemu\" 2>/dev/null
             mount -t tmpfs -o size=1m none \"$CEDE_CACHE\" || exit 77
             test -e \"$CEDE_CACHE.qemu\" && ln -s \"$CEDE_CACHE.qemu\" \"$CEDE_CACHE/qemu\"
             {script}"
        ))
        .env("CACHE", std::env::var_os("CEDE_CACHE").unwrap_or_default())
        .env("CEDE_CACHE", disk)
        .env("CEDE", env!("CARGO_BIN_EXE_cede"))
        .env("IMAGE", image)
        .output()
        .unwrap()
}
