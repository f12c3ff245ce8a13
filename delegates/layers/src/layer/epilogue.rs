//! Epilogues: elementwise functions that a layer applies to its `f32` results.

use arenite_base::{Binary, Clamp, Unary};

use crate::net::Id;

/// An operation of an epilogue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EpilogueOp {
    /// A function of the result and a value with the same shape.
    Binary(Binary, Id),
    /// A function of each row of the result and a row with this number of elements, the innermost dimension.
    Row(Binary, Id, usize),
    /// A function of the result and a number.
    Scalar(Binary, f32),
    /// A clamp.
    Clamp(Clamp),
    /// A function of the result.
    Unary(Unary),
}

impl EpilogueOp {
    /// The value that it reads, besides the result.
    #[inline]
    pub fn operand(&self) -> Option<Id> {
        match *self {
            EpilogueOp::Binary(_, id) | EpilogueOp::Row(_, id, _) => Some(id),
            EpilogueOp::Scalar(..) | EpilogueOp::Clamp(_) | EpilogueOp::Unary(_) => None,
        }
    }

    /// The mutable id of the value that it reads.
    pub fn operand_mut(&mut self) -> Option<&mut Id> {
        match self {
            EpilogueOp::Binary(_, id) | EpilogueOp::Row(_, id, _) => Some(id),
            EpilogueOp::Scalar(..) | EpilogueOp::Clamp(_) | EpilogueOp::Unary(_) => None,
        }
    }
}
