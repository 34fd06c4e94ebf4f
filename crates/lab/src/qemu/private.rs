//! A QEMU of our own: Debian's packages of it and of all that it needs, down to the C library and its loader, in one
//! folder. So it runs on any distribution, whatever that has installed.

use std::{fs, path::Path};

use serde::{Deserialize, Serialize};

use super::{Origin, Qemu, QemuError};
use crate::{
    Cache,
    apt::{Apt, AptError, Deb, Lists},
    durable,
    kernels::Catalog,
};

/// Debian's release and package of QEMU.
const SUITE: &str = "trixie";
const PACKAGE: &str = "qemu-system-x86";
/// Where Debian has libraries of this architecture.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
/// Says that the folder is whole, and of which version.
const RECORD: &str = "qemu.json";
/// Firmware. That of network cards, with which a guest could start from the network, is not among what QEMU depends on.
const FIRMWARE: [&str; 2] = ["usr/share/qemu", "usr/share/seabios"];

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    version: String,
}

/// The one in the cache.
pub(crate) fn find(cache: &Cache) -> Result<Option<Qemu>, QemuError> {
    let folder = cache.folder("qemu")?;
    let record = fs::read(folder.join(RECORD)).ok();
    let record: Option<Record> = record.and_then(|text| serde_json::from_slice(&text).ok());
    Ok(record.map(|record| in_folder(&folder, record.version)))
}

/// Fetches it, unless it is there.
pub(crate) fn fetch(
    cache: &Cache,
    mirror: Option<&str>,
    progress: &mut dyn FnMut(&str),
) -> Result<Qemu, QemuError> {
    if let Some(qemu) = find(cache)? {
        return Ok(qemu);
    }
    let apt = Apt::open(cache, mirror, Catalog::get().suites(), progress)?;
    // Another fetch may have ended while this one waited.
    if let Some(qemu) = find(cache)? {
        return Ok(qemu);
    }
    let debs = download(&apt, progress)?;
    progress("unpacking QEMU");
    let new = apt.workshop()?.join("qemu");
    unpack(&debs, &new)?;
    let version = super::version(&mut in_folder(&new, String::new()).command())
        .map_err(|problem| QemuError::DoesNotRun { problem })?;
    put(cache, &new, version)
}

fn download(apt: &Apt, progress: &mut dyn FnMut(&str)) -> Result<Vec<Deb>, QemuError> {
    let mut lists = Lists::open(apt, progress)?;
    loop {
        progress("fetching QEMU and the libraries that it needs (40 MB)");
        let error = match apt.download_with_dependencies(PACKAGE, SUITE) {
            Ok(debs) => return Ok(debs),
            Err(error) => error,
        };
        if !(matches!(error, AptError::Failed { .. }) && lists.refresh(progress)?) {
            let line = lists.complaint().map(ToOwned::to_owned);
            return Err(line.map_or(error, |line| AptError::Unreachable { line }).into());
        }
    }
}

/// Makes `into` of what QEMU needs out of the packages. The rest, such as programs that run as root for everyone, is
/// not to lie about in a cache.
fn unpack(debs: &[Deb], into: &Path) -> Result<(), AptError> {
    let all = into.with_extension("all");
    fs::create_dir(&all).map_err(AptError::io("create", &all))?;
    for deb in debs {
        deb.unpack(&all)?;
    }
    let program = format!("usr/bin/{}", super::PROGRAM);
    for name in [LIBRARIES, &program].into_iter().chain(FIRMWARE) {
        let to = into.join(name);
        let parent = to.parent().unwrap_or(into);
        fs::create_dir_all(parent).map_err(AptError::io("create", parent))?;
        fs::rename(all.join(name), &to).map_err(AptError::io("create", to))?;
    }
    Ok(())
}

/// Moves the unpacked folder to its place.
fn put(cache: &Cache, new: &Path, version: String) -> Result<Qemu, QemuError> {
    let record = new.join(RECORD);
    let text = serde_json::to_vec_pretty(&Record {
        version: version.clone(),
    })
    .map_err(std::io::Error::from)
    .map_err(AptError::io("write", &record))?;
    // All that was unpacked has to be on the disk before the record is.
    rustix::fs::sync();
    durable::write(&record, &text).map_err(AptError::io("write", record))?;
    let folder = cache.folder("qemu")?;
    durable::remove(&folder).map_err(AptError::io("remove", &folder))?;
    durable::rename(new, &folder).map_err(AptError::io("create", &folder))?;
    Ok(in_folder(&folder, version))
}

/// The QEMU in a folder, started through its own loader and told where its own files are: what is compiled into it are
/// the paths of the machine's.
fn in_folder(folder: &Path, version: String) -> Qemu {
    let libraries = folder.join(LIBRARIES);
    let mut arguments = vec![
        "--library-path".into(),
        libraries.clone().into(),
        folder.join("usr/bin").join(super::PROGRAM).into(),
    ];
    for firmware in FIRMWARE {
        arguments.extend(["-L".into(), folder.join(firmware).into()]);
    }
    Qemu {
        version,
        origin: Origin::Private,
        program: libraries.join("ld-linux-x86-64.so.2"),
        arguments,
        environment: vec![("QEMU_MODULE_DIR", libraries.join("qemu").into())],
    }
}
