//! Prints what `sched_yield(2)` does on this kernel, and how that was found out.
//!
//! ```text
//! cargo run --release --example probe
//! ```

#[allow(clippy::print_stdout, reason = "this is a program")]
fn main() {
    let probe = cede::era::probe();
    println!("Linux {}: {}", probe.release, probe.era);
    for line in &probe.evidence {
        println!("  {line}");
    }
}
