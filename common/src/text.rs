//! Formats text for people.

use std::fmt::Display;

/// Formats a shape, such as `[1,16,16,1]`; a scalar is `[]`.
pub fn shape<T: Display>(dims: &[T]) -> String {
    format!("[{}]", join(dims, ","))
}

/// Joins the items with a separator.
pub fn join<T: Display>(items: &[T], separator: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}
