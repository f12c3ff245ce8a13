//! Libraries as cargo builds them: what the host's comparison of layouts and the handshake say to each.

use std::ffi::c_void;

use arenite_abi::layout::{SYMBOL, check};
use arenite_abi::raw::{ABI_VERSION, ArEntryV1, ENTRY_SYMBOL};
use libloading::Library;

use crate::host::HOST;

/// The library of a package that these tests depend on, as cargo has built it. It stays loaded.
fn load(package: &str) -> &'static Library {
    let program = std::env::current_exe().expect("this program has a path");
    let name = libloading::library_filename(package.replace('-', "_"));
    let path = program.with_file_name(name);
    // SAFETY: the library was just built from this workspace; it has no initialisers.
    Box::leak(Box::new(unsafe { Library::new(path) }.expect("it loads")))
}

fn entry(library: &Library) -> ArEntryV1 {
    // SAFETY: the entry of such a library has this type, or one that is called in the same way.
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
