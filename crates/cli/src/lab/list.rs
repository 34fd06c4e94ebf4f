use clap::Args;
use lab::{
    Cache,
    kernels::{self, Entry},
    qemu::{Origin, Qemu, QemuError},
};

use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct ListArgs {}

pub(crate) fn run(_: &ListArgs, cache: &Cache) -> Result<(), Failure> {
    let entries = kernels::list(cache)?;
    let qemu = match Qemu::find(cache) {
        Ok(qemu) => describe(&qemu),
        Err(QemuError::Missing { too_old }) => missing(too_old.as_deref()),
        Err(error) => return Err(error.into()),
    };
    output::print(&format!("{}\n{qemu}\n", table(&entries)))
}

/// One line about a QEMU.
pub(crate) fn describe(qemu: &Qemu) -> String {
    let origin = match qemu.origin() {
        Origin::Named => "named by CEDE_QEMU",
        Origin::Machine => "this machine's",
        Origin::Private => "cached",
    };
    format!("QEMU {} ({origin})", qemu.version())
}

fn missing(too_old: Option<&str>) -> String {
    let reason = too_old.map_or_else(String::new, |reason| {
        format!("; the one on the path will not do: {reason}")
    });
    format!("no QEMU (get it with `cede lab fetch --qemu`{reason})")
}

fn table(entries: &[Entry]) -> String {
    let head = ["kernel", "version", "era", "cached", "package"].map(ToOwned::to_owned);
    let rows: Vec<[String; 5]> = std::iter::once(head).chain(entries.iter().map(row)).collect();
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(String::len)
            .max()
    };
    let line = |row: &[String; 5]| {
        let cells = row.iter().enumerate();
        let cells =
            cells.map(|(column, cell)| format!("{cell:width$}  ", width = width(column).unwrap_or(0)));
        format!("{}\n", cells.collect::<String>().trim_end())
    };
    rows.iter().map(line).collect()
}

fn row(entry: &Entry) -> [String; 5] {
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    [
        entry.name.clone(),
        or_dash(&entry.version),
        or_dash(&entry.era),
        cached(entry),
        or_dash(&entry.package),
    ]
}

fn cached(entry: &Entry) -> String {
    match (entry.cached_bytes, &entry.newer) {
        (None, _) => "no".to_owned(),
        (Some(bytes), None) => megabytes(bytes),
        (Some(bytes), Some(newer)) => format!("{} ({newer} is out)", megabytes(bytes)),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
