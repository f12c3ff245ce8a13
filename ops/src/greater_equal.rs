//! GREATER_EQUAL: `y = a >= b`, with broadcasting. f32, f16, i16, i32, i64; i8, u8 quantized. Supports in-place
//! operation.
//! Defined by: tflite/kernels/comparisons.cc.

use core::cmp::Ordering;

use arenite_abi::prelude::*;

use crate::kit::compare::{Comparison, Relation};

/// A prepared `GREATER_EQUAL` node.
pub type GreaterEqual = Comparison<GreaterEqualRelation>;

/// Tests `a >= b`.
pub struct GreaterEqualRelation;

impl Relation for GreaterEqualRelation {
    const CODE: OpCode = OpCode::Builtin(op::GREATER_EQUAL);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const INPUTS: &'static [ElementType] = &[F32, F16, I16, I32, I64, I8, U8];
    const SCALES_WORDS: bool = false;

    fn holds(order: Option<Ordering>) -> bool {
        matches!(order, Some(Ordering::Greater | Ordering::Equal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::compare::tests::*;

    #[test]
    fn values() {
        expect::<GreaterEqual>([false, true, true], false);
    }

    #[test]
    fn quantized() {
        expect_quantized::<GreaterEqual>([false, true, true]);
        expect_words::<GreaterEqual>([false, true]);
    }
}
