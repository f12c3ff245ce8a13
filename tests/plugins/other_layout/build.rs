//! Copies raw.rs of arenite-abi, and swaps two fields of a structure that only a returned pointer reaches.

use std::path::PathBuf;
use std::{env, fs, io};

/// Both are in `ArOpV1`, and have one type: a host that does not compare layouts would confuse them unnoticed.
const FIELDS: [&str; 2] = ["    pub min_version: i32,\n", "    pub max_version: i32,\n"];

fn main() -> io::Result<()> {
    let [here, out] =
        ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(|key| PathBuf::from(env::var_os(key).expect("set by cargo")));
    let source = here.join("../../../core/abi/src/raw.rs");
    println!("cargo::rerun-if-changed={}", source.display());

    let raw = fs::read_to_string(&source)?.replace("\r\n", "\n");
    assert_eq!(raw.matches(&FIELDS.concat()).count(), 1, "ArOpV1 has changed: swap two other fields");
    let raw = raw.replace(&FIELDS.concat(), &[FIELDS[1], FIELDS[0]].concat());
    // As core/abi/build.rs has it.
    println!("cargo::rustc-check-cfg=cfg(arenite_sanitizer, values(\"address\", \"memory\", \"thread\"))");
    // Layouts are compared with the package's name, which is to be the same.
    println!("cargo::rustc-env=CARGO_PKG_NAME=arenite-abi");
    // An included file has no attributes and no documentation of its own.
    let lines: Vec<&str> =
        raw.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("#!")).collect();
    fs::write(out.join("raw.rs"), lines.join("\n"))
}
