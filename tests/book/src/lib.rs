//! README and the book in `docs`: their pages, the blocks and links in them, and a copy of the tree to run them in.
#![forbid(unsafe_code)]

pub mod blocks;
pub mod links;
pub mod pages;
pub mod scratch;

use std::path::{Path, PathBuf};

/// The root of the tree. Read from the environment at run time, because work trees may share build outputs.
pub fn root() -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&folder).join("../..").canonicalize().expect("the root of the tree")
}

/// The text of a page.
///
/// # Panics
/// If the page cannot be read.
pub fn text(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}
