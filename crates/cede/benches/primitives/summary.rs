//! The fastest and the median sample of each benchmark. On a machine that others use too, the fastest is what the code
//! costs; the others tell more about the neighbours.

use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, fs};

use serde_json::Value;

/// Prints what Criterion has kept since `start`.
pub(crate) fn print(start: SystemTime) {
    let mut files = Vec::new();
    find_samples(&directory(), &mut files);
    files.retain(|file| {
        let changed = fs::metadata(file).and_then(|data| data.modified());
        changed.is_ok_and(|changed| changed >= start)
    });
    files.sort();
    if files.is_empty() {
        return;
    }
    println!("{:34} {:>14} {:>14}", "ns per operation", "fastest", "median");
    for file in files {
        let mut each_ns = per_operation(&file);
        each_ns.sort_by(f64::total_cmp);
        let id = file.ancestors().nth(2).unwrap();
        println!(
            "{:34} {:>14.1} {:>14.1}",
            id.strip_prefix(directory()).unwrap().display(),
            each_ns.first().unwrap(),
            each_ns.get(each_ns.len() / 2).unwrap()
        );
    }
}

/// Where Criterion keeps what it has measured, unless told otherwise.
fn directory() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"))
        .join("criterion")
}

fn find_samples(directory: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            find_samples(&path, found);
        } else if path.ends_with("new/sample.json") {
            found.push(path);
        }
    }
}

fn per_operation(file: &Path) -> Vec<f64> {
    let sample: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let numbers = |key: &str| -> Vec<f64> {
        let list = sample.get(key).and_then(Value::as_array).unwrap();
        list.iter().filter_map(Value::as_f64).collect()
    };
    let (times, repeats) = (numbers("times"), numbers("iters"));
    times
        .iter()
        .zip(&repeats)
        .map(|(time, repeats)| time / repeats)
        .collect()
}
