//! The headers against the library: every exported `ar_*` function is declared, and every declared one is exported.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::toolchain::{HERE, dynamic_library, have, run};

/// The headers of the types, which `arenite.h` includes: name and text.
pub fn headers() -> Vec<(String, String)> {
    let folder = Path::new(HERE).join("include/arenite");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of headers")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a header has a name").to_owned();
        (name, std::fs::read_to_string(path).expect("a header"))
    };
    paths.into_iter().map(read).collect()
}

/// Names of the functions behind `ARENITE_API`.
fn declared() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, header) in headers() {
        let declarations = header.lines().filter(|line| line.starts_with("ARENITE_API "));
        names.extend(declarations.map(|line| {
            let name = line.split('(').next().and_then(|start| start.rsplit([' ', '*']).next());
            name.unwrap_or_else(|| panic!("no function in: {line}")).to_owned()
        }));
    }
    names
}

#[test]
fn arenite_h_includes_every_header() {
    let all = std::fs::read_to_string(Path::new(HERE).join("include/arenite.h")).expect("arenite.h");
    for (name, _) in headers() {
        assert!(all.contains(&format!("#include <arenite/{name}.h>")), "{name}.h");
    }
}

/// Names of the functions that the library exports; `None` without nm.
pub fn exported() -> Option<BTreeSet<String>> {
    if !have("nm") {
        return None;
    }
    let listing = run(Command::new("nm").args(["-D", "--defined-only"]).arg(dynamic_library()));
    assert!(!listing.contains("arenite_plugin_v1"), "the library is no plugin");
    let names = listing.lines().filter_map(|line| line.split_whitespace().last());
    Some(names.filter(|name| name.starts_with("ar_")).map(str::to_owned).collect())
}

#[test]
fn the_headers_declare_what_the_library_exports() {
    if let Some(exported) = exported() {
        assert!(exported.len() > 60, "{exported:?}");
        assert_eq!(declared(), exported);
    }
}

#[test]
fn every_declaration_has_a_comment() {
    for (name, header) in headers() {
        let mut before = "";
        for line in header.lines() {
            if line.starts_with("ARENITE_API ") {
                let described =
                    before.ends_with("*/") || before.starts_with("ARENITE_API ") || before.ends_with(';');
                assert!(described, "{name}.h: no comment before: {line}");
            }
            before = line;
        }
        for word in ["Ownership", "Threads", "Errors"] {
            assert!(name == "base" || header.contains(&format!("\n * {word}  ")), "{name}.h tells no {word}");
        }
    }
}
