//! Functions of one tensor, and of two that broadcast.

use arenite_base::{Binary, Clamp};

use super::epilogue::EpilogueOp;

/// Elementwise functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Elementwise {
    /// Functions of input 0, in order; an [`EpilogueOp::Binary`] reads another value of the same shape.
    Chain(Vec<EpilogueOp>),
    /// A function of inputs 0 and 1 with broadcasting, a clamp, and further functions.
    Two(Binary, Clamp, Vec<EpilogueOp>),
}
