//! Functions of each element, of each pair of elements.

pub mod arithmetic;
pub mod bits;
pub mod comparisons;
pub mod elementary;
pub mod gradients;
pub mod simple;
pub mod special;
