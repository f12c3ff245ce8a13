//! Strips the library when it is linked. With `strip` in the profile, everything would be compiled once more.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") == "linux" && variable("PROFILE") == "release" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--strip-all");
    }
}
