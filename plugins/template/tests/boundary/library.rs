//! Libraries as cargo builds them: what the host's comparison of layouts and the handshake say to each.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use arenite_abi::layout::{SYMBOL, check};
use arenite_abi::raw::{ABI_VERSION, ArEntryV1, ENTRY_SYMBOL};
use libloading::Library;

use crate::host::HOST;

const PACKAGES: [&str; 3] =
    ["arenite-plugin-template", "arenite-test-future-abi", "arenite-test-other-layout"];

/// Builds the libraries of `PACKAGES`, which `cargo test` does not, and gives their paths by package.
fn build() -> BTreeMap<&'static str, PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--offline", "--message-format=json"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    PACKAGES.iter().for_each(|package| {
        cargo.args(["-p", package]);
    });
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let mut libraries = BTreeMap::new();
    for message in messages.lines() {
        let message: serde_json::Value = serde_json::from_str(message).expect("a JSON object");
        let (target, file) = (&message["target"], &message["filenames"][0]);
        if let (true, Some(file)) = (target["crate_types"][0] == "cdylib", file.as_str()) {
            let name = target["name"].as_str().expect("a name").replace('_', "-");
            libraries
                .extend(PACKAGES.iter().find(|package| **package == name).map(|p| (*p, PathBuf::from(file))));
        }
    }
    libraries
}

/// The library of a package. It stays loaded.
fn load(package: &str) -> &'static Library {
    static BUILT: OnceLock<BTreeMap<&'static str, PathBuf>> = OnceLock::new();
    let path = BUILT.get_or_init(build).get(package).expect("cargo has built it");
    // SAFETY: the library was just built from this workspace; it has no initialisers.
    Box::leak(Box::new(unsafe { Library::new(path) }.expect("it loads")))
}

fn entry(library: &Library) -> ArEntryV1 {
    // SAFETY: the entry of a library of `PACKAGES` has this type, or one that is called in the same way.
    *unsafe { library.get::<ArEntryV1>(ENTRY_SYMBOL) }.expect("it has the entry")
}

fn layout_symbol(library: &Library) -> Option<*const c_void> {
    // SAFETY: the address alone is taken, of a library that stays loaded.
    unsafe { library.get::<*const c_void>(SYMBOL).ok()?.try_as_raw_ptr().map(|address| address.cast_const()) }
}

#[test]
fn template_is_accepted_with_all_its_parts() {
    let library = load("arenite-plugin-template");
    let symbol = layout_symbol(library).expect("it has the root module");
    let mut version = ABI_VERSION;
    // SAFETY: the symbol is the library's own, and what the descriptor points to lives as long as the library.
    unsafe {
        assert_eq!(check(symbol), Ok(()));
        let plugin = entry(library)(&HOST, &mut version).as_ref().expect("a descriptor");
        assert_eq!(version, ABI_VERSION);
        assert_eq!(plugin.id.as_str(), "org.arenite.template");
        assert_eq!((plugin.op_count, plugin.planner_count, plugin.delegate_count), (2, 1, 1));
        assert_eq!((*plugin.planners).name.as_str(), "first-fit");
        assert_eq!((*plugin.delegates).name.as_str(), "sin");
    }
}

#[test]
fn other_layout_is_refused_with_the_field_that_differs() {
    let symbol = layout_symbol(load("arenite-test-other-layout")).expect("it has the root module");
    // SAFETY: the symbol is the library's own.
    let error = unsafe { check(symbol) }.expect_err("two fields are swapped");
    assert!(error.contains("ArOpV1") && error.contains("min_version"), "{error}");
    assert!(error.len() < 500, "{error}");
}

#[test]
fn future_abi_asks_for_version_two_and_gives_nothing() {
    let library = load("arenite-test-future-abi");
    assert_eq!(layout_symbol(library), None);
    let mut version = ABI_VERSION;
    // SAFETY: the host is a static, the version is writable.
    assert!(unsafe { entry(library)(&HOST, &mut version) }.is_null());
    assert_eq!(version, 2 << 16);
}
