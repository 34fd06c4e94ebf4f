//! `cede lab fetch` and `cede lab list` when things go wrong, with a Debian of scripts.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

use std::{
    fs,
    process::{Command, Output, Stdio},
};

use support::{
    debian::{Debian, image},
    stderr, stdout,
};

const IMAGE: &str = "./boot/vmlinuz-6.1.0-57-cloud-amd64";

/// It ended with this status and one line, which contains this.
fn assert_fails(output: &Output, status: i32, expected: &str) {
    let message = stderr(output);
    assert_eq!(output.status.code(), Some(status), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains(expected), "{message}");
    assert_eq!(stdout(output), "");
}

fn assert_fetched(output: &Output) {
    assert!(output.status.success(), "{}", stderr(output));
    assert!(
        stdout(output).starts_with("kernel 6.1: 6.1.192 ("),
        "{}",
        stdout(output)
    );
}

#[test]
fn what_is_cached_is_not_fetched_again() {
    let Some(debian) = Debian::new() else { return };
    assert!(!debian.is_cached());
    assert_fetched(&debian.fetch("6.1"));
    assert_fetched(&debian.fetch("6.1"));
    assert_eq!(debian.downloads(), 1);
    assert!(debian.is_cached());
    assert_eq!(
        fs::read(debian.path("cache/kernels/6.1.192-3/vmlinuz")).unwrap(),
        image()
    );
}

#[test]
fn a_download_that_breaks_off_is_none() {
    let Some(debian) = Debian::new() else { return };
    for bytes in [100, 1000, 500_000] {
        debian.truncate(bytes);
        assert_fails(&debian.fetch("6.1"), 1, "cannot unpack package.deb");
        assert!(!debian.is_cached());
    }
    debian.offer(&[(IMAGE, &image())]);
    assert_fetched(&debian.fetch("6.1"));
}

#[test]
fn a_package_has_to_hold_a_kernel() {
    let Some(debian) = Debian::new() else { return };
    let image = image();
    let broken_off = &image[..image.len() / 2];
    for (files, expected) in [
        (vec![("./usr/share/doc/x/README", &b"x"[..])], "boot/vmlinuz-*"),
        (vec![(IMAGE, &b"not a kernel"[..])], "expected a bzImage"),
        (vec![(IMAGE, broken_off)], "breaks off"),
    ] {
        debian.offer(&files);
        let output = debian.fetch("6.1");
        assert_fails(
            &output,
            1,
            "package linux-image-6.1.0-57-cloud-amd64 holds no kernel",
        );
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(!debian.is_cached());
    }
    // Where Debian keeps newer kernels.
    debian.offer(&[("./usr/lib/modules/6.1.0-57-cloud-amd64/vmlinuz", &image)]);
    assert_fetched(&debian.fetch("6.1"));
}

#[test]
fn a_changed_image_is_fetched_again() {
    let Some(debian) = Debian::new() else { return };
    assert_fetched(&debian.fetch("6.1"));
    let mut changed = image();
    changed[1000] ^= 1;
    fs::write(debian.path("cache/kernels/6.1.192-3/vmlinuz"), changed).unwrap();
    assert_fetched(&debian.fetch("6.1"));
    assert_eq!(debian.downloads(), 2);
}

#[test]
fn a_fetch_that_is_killed_leaves_nothing_that_counts() {
    let Some(debian) = Debian::new() else { return };
    debian.set("kill");
    assert_eq!(debian.fetch("6.1").status.code(), None, "killed by a signal");
    assert!(!debian.is_cached());
    assert_fetched(&debian.fetch("6.1"));
}

#[test]
fn fetches_at_the_same_time_share_the_work() {
    let Some(debian) = Debian::new() else { return };
    let start = |_| {
        let mut command = debian.cede(&["lab", "fetch", "--quiet", "6.1"]);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..4).map(start).collect();
    for child in children {
        assert_fetched(&child.wait_with_output().unwrap());
    }
    assert_eq!(debian.downloads(), 1);
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_fetched() {
    let Some(debian) = Debian::new() else { return };
    assert_fails(&debian.fetch("5.x"), 2, "expected one of 6.1, 6.12.57");
    assert_fails(&debian.fetch("/no/such/vmlinuz"), 2, "/no/such/vmlinuz");
    assert_fails(&debian.fetch("/proc/version"), 2, "expected a bzImage");
    let output = debian
        .cede(&["lab", "fetch", "--quiet", "--debian-mirror=x", "6.1"])
        .output()
        .unwrap();
    assert_fails(&output, 2, "ends in /debian");
    assert!(!debian.path("log").exists(), "apt was not asked");
}

#[test]
fn a_version_that_debian_lacks_is_told_with_those_it_has() {
    let Some(debian) = Debian::new() else { return };
    assert_fails(
        &debian.fetch("6.1.3"),
        2,
        "Debian has no kernel 6.1.3; expected one of 6.1.192",
    );
}

#[test]
fn without_a_network_only_what_is_cached_can_be_had() {
    let Some(debian) = Debian::new() else { return };
    debian.set("offline");
    assert_fails(&debian.fetch("6.1"), 1, "Could not resolve 'mirror.example'");
    fs::remove_file(debian.path("offline")).unwrap();
    assert_fetched(&debian.fetch("6.1"));
    debian.set("offline");
    assert!(debian.is_cached());
}

#[test]
fn without_apt_there_is_another_way() {
    let Some(debian) = Debian::new() else { return };
    let mut command = debian.cede(&["lab", "fetch", "6.1"]);
    let output = command.env("PATH", debian.path("cache")).output().unwrap();
    assert_fails(&output, 1, "give --kernel the path of a vmlinuz");
    // A kernel of one's own needs no apt.
    fs::write(debian.path("vmlinuz"), image()).unwrap();
    let mut command = debian.cede(&["lab", "fetch", debian.path("vmlinuz").to_str().unwrap()]);
    let output = command.env("PATH", debian.path("cache")).output().unwrap();
    assert!(stdout(&output).contains(": 6.1.192 ("), "{}", stderr(&output));
}

#[test]
fn after_a_full_disk_the_cache_is_as_good_as_before() {
    let Some(debian) = Debian::new() else { return };
    // As root of a user namespace anyone may mount a small disk, where that is not forbidden.
    let with_disk = |script: &str| {
        let mut command = debian.apply(Command::new("unshare"));
        command
            .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
            .arg(format!(
                "mount -t tmpfs -o size=$SIZE none \"$CEDE_CACHE\" || exit 77; {script}"
            ))
            .env("CEDE", env!("CARGO_BIN_EXE_cede"));
        command
    };
    if !with_disk("true")
        .env("SIZE", "100k")
        .output()
        .is_ok_and(|output| output.status.success())
    {
        eprintln!("skipped: needs a user namespace, in which a tmpfs can be mounted");
        return;
    }
    let script = "\"$CEDE\" lab fetch --quiet 6.1; echo status $?
                  mount -o remount,size=8m \"$CEDE_CACHE\"
                  \"$CEDE\" lab list | grep -c ' MB '
                  \"$CEDE\" lab fetch --quiet 6.1";
    // Too small for the package, and for the package and its image: 1 MiB each.
    for size in ["500k", "1600k"] {
        let output = with_disk(script).env("SIZE", size).output().unwrap();
        let message = stderr(&output);
        assert_eq!(message.lines().count(), 1, "{size}: {message}");
        assert!(
            message.starts_with("cede: no space left in "),
            "{size}: {message}"
        );
        let lines = stdout(&output);
        let lines: Vec<_> = lines.lines().collect();
        assert_eq!(lines[..2], ["status 1", "0"], "{size}");
        assert!(lines[2].starts_with("kernel 6.1: 6.1.192 ("), "{size}: {lines:?}");
    }
}
