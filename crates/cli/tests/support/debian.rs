//! A Debian of scripts: `apt-get`, `apt-cache` and `dpkg-deb` as `cede` calls them, earlier on the path than real ones.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use super::cede;

/// A "package" is its tar archive alone, so `dpkg-deb` has nothing to unpack. Apt's messages are from apt 2.6.
const SCRIPTS: [(&str, &str); 3] = [
    (
        "apt-get",
        r#"#!/bin/sh
echo "$*" >> "$FAKE/log"
case "$*" in
*--print-uris*)
    echo "'http://mirror.example/debian/dists/trixie/InRelease' x 0 " ;;
*" update")
    [ ! -e "$FAKE/offline" ] || {
        echo "W: Failed to fetch http://mirror.example/debian/dists/trixie/InRelease  Could not resolve 'mirror.example'" >&2
        echo "E: Some index files failed to download. They have been ignored, or old ones used instead." >&2
        exit 100
    } ;;
*" download "*)
    [ ! -e "$FAKE/kill" ] || { head -c 1000 "$FAKE/package.deb" > package.deb; rm "$FAKE/kill"; kill -9 $PPID; exit 1; }
    cat "$FAKE/package.deb" > package.deb ;;
esac
"#,
    ),
    (
        "apt-cache",
        r#"#!/bin/sh
[ ! -e "$FAKE/offline" ] || exit 0
case "$*" in
*pkgnames*) cut -d' ' -f1 "$FAKE/madison" ;;
*madison*) cat "$FAKE/madison" ;;
esac
"#,
    ),
    ("dpkg-deb", "#!/bin/sh\ncat \"$2\"\n"),
];

/// One, with a cache folder that is used with it.
pub struct Debian {
    folder: tempfile::TempDir,
}

impl Debian {
    /// A Debian with a kernel 6.1.192, or none where `cede` would not work with it.
    pub fn new() -> Option<Self> {
        if !Path::new("/usr/share/keyrings/debian-archive-keyring.gpg").is_file() {
            #[allow(clippy::print_stderr, reason = "the line that a skipped test owes")]
            {
                eprintln!("skipped: needs the package debian-archive-keyring");
            }
            return None;
        }
        let debian = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in ["bin", "cache"] {
            fs::create_dir(debian.path(folder)).unwrap();
        }
        for (name, script) in SCRIPTS {
            let file = debian.path("bin").join(name);
            fs::write(&file, script).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let madison = "linux-image-6.1.0-57-cloud-amd64 | 6.1.192-3 | http://mirror.example/debian x/main amd64 Packages\n";
        fs::write(debian.path("madison"), madison).unwrap();
        debian.offer(&[("./boot/vmlinuz-6.1.0-57-cloud-amd64", &image())]);
        Some(debian)
    }

    /// A file of it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes the package consist of these files.
    pub fn offer(&self, files: &[(&str, &[u8])]) {
        let mut archive = tar::Builder::new(Vec::new());
        for (path, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, path, *content).unwrap();
        }
        fs::write(self.path("package.deb"), archive.into_inner().unwrap()).unwrap();
    }

    /// Makes the package break off.
    pub fn truncate(&self, bytes: u64) {
        let package = fs::File::options()
            .write(true)
            .open(self.path("package.deb"))
            .unwrap();
        package.set_len(bytes).unwrap();
    }

    /// Switches something: `offline`, or to `kill` whoever downloads next.
    pub fn set(&self, switch: &str) {
        fs::write(self.path(switch), "").unwrap();
    }

    /// A command that meets this Debian instead of the machine's.
    pub fn apply(&self, mut command: Command) -> Command {
        let path = format!(
            "{}:{}",
            self.path("bin").display(),
            std::env::var("PATH").unwrap()
        );
        command
            .env("PATH", path)
            .env("FAKE", self.folder.path())
            .env("CEDE_CACHE", self.path("cache"))
            .env_remove("CEDE_QEMU");
        command
    }

    /// `cede` with this Debian.
    pub fn cede(&self, args: &[&str]) -> Command {
        let mut command = self.apply(cede());
        command.args(args);
        command
    }

    /// Runs `cede lab fetch KERNEL`.
    pub fn fetch(&self, kernel: &str) -> Output {
        self.cede(&["lab", "fetch", "--quiet", kernel]).output().unwrap()
    }

    /// Whether `cede lab list` says that 6.1 is in the cache.
    pub fn is_cached(&self) -> bool {
        let output = self.cede(&["lab", "list"]).output().unwrap();
        assert!(output.status.success());
        let table = super::stdout(&output);
        let line = table.lines().find(|line| line.starts_with("6.1 ")).unwrap();
        line.contains(" MB ")
    }

    /// How often something was downloaded.
    pub fn downloads(&self) -> usize {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        log.matches(" download ").count()
    }
}

/// An x86 kernel image of 1 MiB, all header and emptiness, that says it is Debian's 6.1.192.
pub fn image() -> Vec<u8> {
    let mut image = vec![0; 1 << 20];
    image[0x1f1] = 1;
    image[0x1f4..0x1f8].copy_from_slice(&((1u32 << 20) / 16 - 64).to_le_bytes());
    image[0x1fe..0x200].copy_from_slice(&[0x55, 0xaa]);
    image[0x202..0x206].copy_from_slice(b"HdrS");
    image[0x20e] = 0x80;
    let version = b"6.1.0-57-cloud-amd64 (d@example) #1 SMP Debian 6.1.192-3 (2026-11-26)";
    image[0x280..0x280 + version.len()].copy_from_slice(version);
    image
}
