//! Code shared by the program and the C library: reports, which both print as the same JSON, and tensors as numbers.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod batch;
pub mod devices;
pub mod extent;
pub mod file;
pub mod inspection;
pub mod memory;
pub mod node_facts;
pub mod placement;
pub mod plugins;
pub mod previews;
pub mod profile;
mod text;

pub use arenite::values;
pub use text::{join, shape};

use std::cmp::Ordering;

/// A stable sort of the items. It inserts each one, because the lists are short and every sort of the standard library
/// adds 10 KB of code.
fn in_order<T>(items: impl IntoIterator<Item = T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let mut ordered: Vec<T> = Vec::new();
    for item in items {
        let at = ordered.partition_point(|known| compare(known, &item).is_le());
        ordered.insert(at, item);
    }
    ordered
}
