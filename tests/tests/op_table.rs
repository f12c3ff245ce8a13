//! OPERATORS.md matches the registry.

use std::sync::Arc;

use arenite::Registry;
use arenite_tests as _;

#[test]
fn operators_md_is_current() {
    let registry = Arc::new(Registry::with_static_plugins().unwrap());
    let wanted = arenite_tests::op_table::markdown(&registry).unwrap();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../OPERATORS.md");
    let present = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        present == wanted,
        "OPERATORS.md is out of date; run `cargo run -p arenite-tests --bin op_table`"
    );
}
