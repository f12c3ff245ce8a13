//! Passes on which sanitizers the compiler adds. Cargo knows them from `-Zsanitizer`; `cfg(sanitize)` is for nightly
//! compilers only.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(arenite_sanitizer, values(\"address\", \"memory\", \"thread\"))");
    let sanitizers = std::env::var("CARGO_CFG_SANITIZE").unwrap_or_default();
    for name in sanitizers.split(',').filter(|name| ["address", "memory", "thread"].contains(name)) {
        println!("cargo::rustc-cfg=arenite_sanitizer=\"{name}\"");
    }
}
