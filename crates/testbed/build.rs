//! Compiles the border to WiredTiger, where it is asked for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "wiredtiger")]
    wiredtiger();
}

#[cfg(feature = "wiredtiger")]
fn wiredtiger() {
    const SHIM: &str = "src/server/storage/wiredtiger/shim.c";
    println!("cargo::rerun-if-changed={SHIM}");
    let compiled = cc::Build::new()
        .file(SHIM)
        .warnings_into_errors(true)
        .extra_warnings(true)
        .cargo_warnings(false)
        .try_compile("cede_wt");
    match compiled {
        Ok(()) => println!("cargo::rustc-link-lib=wiredtiger"),
        Err(error) => println!(
            "cargo::error=the feature wiredtiger takes a C compiler and WiredTiger's header and library (Debian: apt-get install gcc libwiredtiger-dev): {error}"
        ),
    }
}
