//! Debian's packages, through an apt root of our own below the cache folder: nothing on the machine changes, nothing
//! needs root, and signatures are checked against Debian's keys.

mod config;
mod deb;
mod error;
mod lists;
mod mirrors;
mod tool;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

pub use self::error::AptError;
use self::mirrors::Mirrors;
pub(crate) use self::{deb::Deb, lists::Lists};
use crate::{Cache, durable, programs};

/// Debian's keys, as its package installs them.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The file that says when the package lists were last read whole, and by its content, where from.
const REFRESHED: &str = "refreshed";

/// The private apt root. While one is open, others wait.
#[derive(Debug)]
pub(crate) struct Apt {
    root: PathBuf,
    lock: File,
    sources: String,
}

impl Apt {
    /// Opens it in `cache`, with the packages of `suites` from `mirror`, or else from the mirror that this machine's
    /// apt uses, or else from the one that was named last.
    pub(crate) fn open(
        cache: &Cache,
        mirror: Option<&str>,
        suites: &[String],
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self, AptError> {
        let tools = ["apt-get", "apt-cache", "dpkg-deb"];
        if tools.iter().any(|tool| programs::on_path(tool).is_none()) {
            return Err(AptError::NoTools);
        }
        // Told before anything is waited for.
        let named = mirror.map(Mirrors::named).transpose()?;
        if !Path::new(KEYRING).is_file() {
            return Err(AptError::NoKeyring { expected: KEYRING });
        }
        let root = cache.folder("apt")?;
        let lock = lock(&root.join("lock"), progress)?;
        let mut apt = Self {
            root,
            lock,
            sources: String::new(),
        };
        apt.sources = apt.find_sources(named, suites)?;
        apt.write_configuration()?;
        Ok(apt)
    }

    /// The list of sources that is in use.
    pub(crate) fn sources(&self) -> &str {
        &self.sources
    }

    /// Where the root is.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// An empty folder for what is under way. It ends with this value; what a killed process leaves ends with the next
    /// call.
    pub(crate) fn workshop(&self) -> Result<PathBuf, AptError> {
        self.empty_folder("tmp")
    }

    fn empty_folder(&self, name: &str) -> Result<PathBuf, AptError> {
        let folder = self.root.join(name);
        durable::remove(&folder).map_err(AptError::io("remove", &folder))?;
        fs::create_dir_all(&folder).map_err(AptError::io("create", &folder))?;
        Ok(folder)
    }

    /// Gets the package lists of all suites. Those that cannot be reached leave their last list, if there is one.
    pub(crate) fn update(&self) -> Result<(), AptError> {
        self.run(
            self.apt("apt-get").args(["-q", "update"]),
            "refresh Debian's package lists",
        )
        .map(drop)
    }

    /// The names of all packages that begin with `prefix`.
    pub(crate) fn names(&self, prefix: &str) -> Result<String, AptError> {
        self.run(
            self.apt("apt-cache").args(["pkgnames", prefix]),
            "read Debian's package lists",
        )
    }

    /// The versions of these packages, as `apt-cache madison` prints them.
    pub(crate) fn versions<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<String, AptError> {
        self.run(
            self.apt("apt-cache").arg("madison").args(names),
            "read Debian's package lists",
        )
    }

    /// Downloads one package into the empty folder `to`.
    pub(crate) fn download(&self, package: &str, version: &str, to: &Path) -> Result<Deb, AptError> {
        let task = format!("download {package}");
        let which = format!("{package}={version}");
        let mut command = self.apt("apt-get");
        self.run(command.args(["-q", "download", &which]).current_dir(to), &task)?;
        debs_in(to)?.pop().ok_or(AptError::Failed {
            task,
            line: "apt-get downloaded nothing".to_owned(),
        })
    }

    /// Downloads a package of `suite` and all that it depends on.
    pub(crate) fn download_with_dependencies(
        &self,
        package: &str,
        suite: &str,
    ) -> Result<Vec<Deb>, AptError> {
        let archives = self.empty_folder("cache/archives")?;
        self.empty_folder("cache/archives/partial")?;
        let mut command = self.apt("apt-get");
        let options = ["-q", "install", "--yes", "--download-only", "-t", suite, package];
        self.run(
            command.args(options),
            &format!("download {package} with what it needs"),
        )?;
        debs_in(&archives)
    }

    /// Runs a command to its end, and gives what it printed.
    fn run(&self, command: &mut Command, task: &str) -> Result<String, AptError> {
        tool::run(command, task, &self.lock, &self.root)
    }

    fn apt(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.arg("-c").arg(self.root.join("apt.conf"));
        command
    }

    fn find_sources(&self, named: Option<Mirrors>, suites: &[String]) -> Result<String, AptError> {
        if let Some(mirrors) = named {
            return Ok(mirrors.sources(KEYRING, suites));
        }
        // Not with our own configuration, but with the machine's.
        let mut command = Command::new("apt-get");
        let uris = self.run(
            command.args(["update", "--print-uris"]),
            "read this machine's apt configuration",
        );
        match uris.and_then(|uris| Mirrors::of_machine(&uris)) {
            Ok(mirrors) => Ok(mirrors.sources(KEYRING, suites)),
            Err(error) => fs::read_to_string(self.root.join(REFRESHED)).map_err(|_| error),
        }
    }

    fn write_configuration(&self) -> Result<(), AptError> {
        for name in ["state", "lists/partial", "cache", "empty", "log"] {
            let folder = self.root.join(name);
            fs::create_dir_all(&folder).map_err(AptError::io("create", &folder))?;
        }
        let config = config::text(&self.root);
        for (name, text) in [
            ("status", ""),
            ("preferences", ""),
            ("sources.list", &self.sources),
            ("apt.conf", &config),
        ] {
            let file = self.root.join(name);
            // Apt reads its package lists anew whenever one of these files is younger than they are.
            if !fs::read_to_string(&file).is_ok_and(|there| there == text) {
                durable::replace(&file, text.as_bytes()).map_err(AptError::io("write", &file))?;
            }
        }
        Ok(())
    }
}

/// Gives back the room that downloads took, however they ended: after a full disk it is what the next one needs.
impl Drop for Apt {
    fn drop(&mut self) {
        for name in ["tmp", "cache/archives"] {
            // The next one that needs the folder tells if it cannot be removed.
            let _left = durable::remove(&self.root.join(name));
        }
    }
}

/// Waits until nobody else holds the lock, which ends with the file that is returned.
fn lock(path: &Path, progress: &mut dyn FnMut(&str)) -> Result<File, AptError> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .read(true)
        .open(path)
        .map_err(AptError::io("open", path))?;
    if file.try_lock().is_err() {
        progress("waiting for another fetch to end");
        file.lock().map_err(AptError::io("lock", path))?;
    }
    Ok(file)
}

/// The packages in a folder.
fn debs_in(folder: &Path) -> Result<Vec<Deb>, AptError> {
    let files = fs::read_dir(folder).map_err(AptError::io("read", folder))?;
    let mut debs = Vec::new();
    for file in files {
        let path = file.map_err(AptError::io("read", folder))?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            debs.push(Deb::new(path));
        }
    }
    Ok(debs)
}
