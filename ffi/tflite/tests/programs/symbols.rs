//! Checks which symbols the library exports: TensorFlow Lite's functions and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::toolchain::{HERE, have, library, library_of_2_17, package, run, their_library};

/// The functions that a library exports, without version suffixes.
fn exported(library: &Path) -> Option<BTreeSet<String>> {
    if !have("nm") {
        return None;
    }
    let listing = run(Command::new("nm").args(["-D", "--defined-only"]).arg(library));
    let functions = listing.lines().filter(|line| line.contains(" T "));
    let names =
        functions.filter_map(|line| line.split_whitespace().last()?.split('@').next().map(str::to_owned));
    Some(names.collect())
}

/// The functions that a header of the tests declares.
fn declared(header: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(Path::new(HERE).join("tests/c").join(header)).expect("a header");
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices("TfLite") {
        let word: String = text[at..].chars().take_while(|c| c.is_alphanumeric()).collect();
        let is_function = text[at + word.len()..].starts_with('(');
        if is_function && !text[..at].ends_with(|c: char| c.is_alphanumeric()) {
            names.insert(word);
        }
    }
    names
}

#[test]
fn only_tensorflow_lites_names_are_exported() {
    let Some(exported) = exported(&library()) else { return };
    let others: Vec<&String> = exported.iter().filter(|name| !name.starts_with("TfLite")).collect();
    assert!(others.is_empty(), "{others:?}");
    let declared: BTreeSet<String> = ["tflite.h", "today.h"].map(declared).into_iter().flatten().collect();
    let missing: Vec<&String> = declared.difference(&exported).collect();
    assert!(declared.len() > 130 && missing.is_empty(), "{} declared, missing: {missing:?}", declared.len());
}

#[test]
fn all_functions_of_the_library_of_2_17_are_exported() {
    let (Some(library_of_2_17), Some(ours)) = (library_of_2_17(), exported(&library())) else { return };
    let Some(theirs) = exported(library_of_2_17) else { return };
    let missing: Vec<&str> = theirs.difference(&ours).map(String::as_str).collect();
    assert!(theirs.len() == 216 && missing.is_empty(), "{} exported, missing: {missing:?}", theirs.len());
}

#[test]
fn all_functions_of_the_library_of_2022_are_exported() {
    let (Some(package), Some(ours)) = (package(), exported(&library())) else { return };
    let Some(theirs) = exported(&their_library(package)) else { return };
    let missing: Vec<&str> = theirs.difference(&ours).map(String::as_str).collect();
    assert_eq!(missing, [""; 0]);
}
