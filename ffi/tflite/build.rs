//! Compiles the variadic functions, which Rust cannot define, and sets TensorFlow Lite's SONAME.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=c/report.c");
    cc::Build::new()
        .file("c/report.c")
        .flag_if_supported("-fvisibility=hidden")
        .warnings(true)
        .compile("report");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libtensorflowlite_c.so");
    }
}
