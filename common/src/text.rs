//! Text for people.

use std::fmt::Display;

/// `[1,16,16,1]`; a scalar is `[]`.
pub fn shape<T: Display>(dims: &[T]) -> String {
    format!("[{}]", join(dims, ","))
}

/// The items with a text between them.
pub fn join<T: Display>(items: &[T], separator: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}
