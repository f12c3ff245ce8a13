//! The header against the library: every exported `ar_*` function is declared, and every declared one is exported.

use std::collections::BTreeSet;
use std::process::Command;

use crate::toolchain::{dynamic_library, have, run};

const HEADER: &str = include_str!("../../include/arenite.h");

/// Names of the functions behind `ARENITE_API`.
fn declared() -> BTreeSet<String> {
    let declarations = HEADER.lines().filter(|line| line.starts_with("ARENITE_API "));
    declarations
        .map(|line| {
            let name = line.split('(').next().and_then(|start| start.rsplit([' ', '*']).next());
            name.unwrap_or_else(|| panic!("no function in: {line}")).to_owned()
        })
        .collect()
}

#[test]
fn the_header_declares_what_the_library_exports() {
    if !have("nm") {
        return;
    }
    let listing = run(Command::new("nm").args(["-D", "--defined-only"]).arg(dynamic_library()));
    let exported: BTreeSet<String> = listing
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .filter(|name| name.starts_with("ar_"))
        .map(str::to_owned)
        .collect();
    assert!(exported.len() > 60, "{exported:?}");
    assert_eq!(declared(), exported);
    assert!(!listing.contains("arenite_plugin_v1"), "the library is no plugin");
}

#[test]
fn every_declaration_has_a_comment() {
    let mut before = "";
    for line in HEADER.lines() {
        if line.starts_with("ARENITE_API ") {
            let described =
                before.ends_with("*/") || before.starts_with("ARENITE_API ") || before.ends_with(';');
            assert!(described, "no comment before: {line}");
        }
        before = line;
    }
}
