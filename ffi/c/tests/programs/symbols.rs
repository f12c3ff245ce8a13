//! Compares the headers with the library: every exported `ar_*` function is declared, and every declared one is
//! exported.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::toolchain::{HERE, dynamic_library, have, run};

/// The name and text of each header that `arenite.h` includes.
pub(crate) fn headers() -> Vec<(String, String)> {
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

/// Each function that a header declares with `ARENITE_API`, and the name of that header.
fn declared() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (header, text) in headers() {
        for line in text.lines().filter(|line| line.starts_with("ARENITE_API ")) {
            let name = line.split('(').next().and_then(|start| start.rsplit([' ', '*']).next());
            let name = name.unwrap_or_else(|| panic!("no function in: {line}")).to_owned();
            found.insert(name, header.clone());
        }
    }
    found
}

#[test]
fn arenite_h_includes_every_header() {
    let all = std::fs::read_to_string(Path::new(HERE).join("include/arenite.h")).expect("arenite.h");
    for (name, _) in headers() {
        assert!(all.contains(&format!("#include <arenite/{name}.h>")), "{name}.h");
    }
}

/// The names of the functions that the library exports; `None` without nm.
pub(crate) fn exported() -> Option<BTreeSet<String>> {
    if !have("nm") {
        return None;
    }
    let listing = run(Command::new("nm").args(["-D", "--defined-only"]).arg(dynamic_library()));
    assert!(!listing.contains("arenite_plugin_v1"), "the library must not export a plugin's entry");
    let names = listing.lines().filter_map(|line| line.split_whitespace().last());
    Some(names.filter(|name| name.starts_with("ar_")).map(str::to_owned).collect())
}

#[test]
fn headers_declare_exactly_the_exported_functions() {
    if let Some(exported) = exported() {
        assert!(exported.len() > 60, "{exported:?}");
        assert_eq!(declared().into_keys().collect::<BTreeSet<_>>(), exported);
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
                assert!(described, "{name}.h: missing comment before: {line}");
            }
            before = line;
        }
        for word in ["Ownership", "Threads", "Errors"] {
            assert!(
                name == "base" || header.contains(&format!("\n * {word}  ")),
                "{name}.h has no section {word}"
            );
        }
    }
}

/// Each `extern "C"` function of the library, and the file or folder in `src` that defines it.
fn defined() -> BTreeMap<String, String> {
    fn walk(folder: &Path, below: Option<&str>, found: &mut BTreeMap<String, String>) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a source has a name");
            let place = below.unwrap_or(stem);
            if path.is_dir() {
                walk(&path, Some(place), found);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            for rest in text.split("extern \"C\" fn ar_").skip(1) {
                let name = rest.split('(').next().unwrap_or_default();
                found.insert(format!("ar_{name}"), place.to_owned());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&Path::new(HERE).join("src"), None, &mut found);
    found
}

/// For example, `ar_tensor_dim`, which `arenite/tensor.h` declares, must be defined in `src/tensor.rs` or in
/// `src/tensor/`.
#[test]
fn each_function_is_defined_in_the_file_named_after_its_header() {
    assert_eq!(defined(), declared());
}
