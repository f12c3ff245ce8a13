//! Libraries as cargo builds them: the host's layout comparison and the version handshake.

use std::ffi::c_void;

use arenite_abi::layout::{SYMBOL, check};
use arenite_abi::raw::{ABI_VERSION, ArEntryV1, ENTRY_SYMBOL};
use libloading::Library;

use crate::host::HOST;

/// Loads the library of a package that these tests depend on, as built by cargo. It stays loaded.
fn load(package: &str) -> &'static Library {
    let program = std::env::current_exe().expect("this program has a path");
    let name = libloading::library_filename(package.replace('-', "_"));
    let path = program.with_file_name(name);
    // SAFETY: the library was just built from this workspace; it has no initialisers.
    Box::leak(Box::new(unsafe { Library::new(path) }.expect("it loads")))
}

fn entry(library: &Library) -> ArEntryV1 {
    // SAFETY: the entry of the library has this type, or one with the same calling convention.
    *unsafe { library.get::<ArEntryV1>(ENTRY_SYMBOL) }.expect("it has the entry")
}

fn layout_symbol(library: &Library) -> Option<*const c_void> {
    // SAFETY: only the address is used, and the library stays loaded.
    unsafe { library.get::<*const c_void>(SYMBOL).ok()?.try_as_raw_ptr().map(|address| address.cast_const()) }
}

#[test]
fn the_template_is_accepted_with_all_its_parts() {
    let library = load("arenite-plugin-template");
    let symbol = layout_symbol(library).expect("it has the root module");
    let mut version = ABI_VERSION;
    // SAFETY: the symbol belongs to the library, and the descriptor's pointers are valid while it is loaded.
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
fn another_layout_is_refused_and_the_differing_field_is_named() {
    let symbol = layout_symbol(load("arenite-test-other-layout")).expect("it has the root module");
    // SAFETY: the symbol belongs to the library.
    let error = unsafe { check(symbol) }.expect_err("two fields are swapped");
    assert!(error.contains("ArOpV1") && error.contains("min_version"), "{error}");
    assert!(error.len() < 500, "{error}");
}

#[test]
fn a_plugin_of_abi_2_names_its_version_and_registers_nothing() {
    let library = load("arenite-test-future-abi");
    assert_eq!(layout_symbol(library), None);
    let mut version = ABI_VERSION;
    // SAFETY: the host is a static, the version is writable.
    assert!(unsafe { entry(library)(&HOST, &mut version) }.is_null());
    assert_eq!(version, 2 << 16);
}
