//! Writes OPERATORS.md: `cargo run -p arenite-tests --bin op_table`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::sync::Arc;

use arenite::Registry;
use arenite_tests as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Arc::new(Registry::with_static_plugins()?);
    let text = arenite_tests::op_table::markdown(&registry)?;
    std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("../OPERATORS.md"), text)?;
    Ok(())
}
