//! Element-wise functions of one and of two tensors.

pub mod arithmetic;
pub mod bits;
pub mod comparisons;
pub mod elementary;
pub mod gradients;
pub mod simple;
pub mod special;
