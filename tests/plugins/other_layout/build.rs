//! Copies frozen.rs of arenite-abi, and swaps two fields of a structure that only a returned pointer reaches.

use std::path::PathBuf;
use std::{env, fs, io};

/// Both are in `ArOpV1` and have the same type, so a host that does not compare layouts would silently confuse them.
const FIELDS: [&str; 2] = ["    pub min_version: i32,\n", "    pub max_version: i32,\n"];

fn main() -> io::Result<()> {
    let [here, out] =
        ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(|key| PathBuf::from(env::var_os(key).expect("set by cargo")));
    let source = here.join("../../../core/abi/src/frozen.rs");
    println!("cargo::rerun-if-changed={}", source.display());

    let text = fs::read_to_string(&source)?.replace("\r\n", "\n");
    assert_eq!(text.matches(&FIELDS.concat()).count(), 1, "ArOpV1 has changed: swap two other fields");
    let text = text.replace(&FIELDS.concat(), &[FIELDS[1], FIELDS[0]].concat());
    // As in core/abi/build.rs.
    println!("cargo::rustc-check-cfg=cfg(arenite_sanitizer, values(\"address\", \"memory\", \"thread\"))");
    // The layout comparison includes the package's name, so it must be the same.
    println!("cargo::rustc-env=CARGO_PKG_NAME=arenite-abi");
    // Inner attributes and documentation are not permitted in an included file.
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("#!")).collect();
    fs::write(out.join("frozen.rs"), lines.join("\n"))
}
