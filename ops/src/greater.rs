//! GREATER: `y = a > b`, with broadcasting. f32, f16, bf16, i16, i32, i64; i8, u8 quantized. Supports in-place
//! operation.
//! Defined by: tflite/kernels/comparisons.cc.

use core::cmp::Ordering;

use arenite_abi::prelude::*;

use crate::kit::compare::{Comparison, Relation};

/// A prepared `GREATER` node.
pub type Greater = Comparison<GreaterRelation>;

/// Tests `a > b`.
pub struct GreaterRelation;

impl Relation for GreaterRelation {
    const CODE: OpCode = OpCode::Builtin(op::GREATER);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const INPUTS: &'static [ElementType] = &[F32, F16, BF16, I16, I32, I64, I8, U8];
    const SCALES_WORDS: bool = false;

    fn holds(order: Option<Ordering>) -> bool {
        order == Some(Ordering::Greater)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::compare::tests::*;

    #[test]
    fn values() {
        expect::<Greater>([false, false, true], false);
    }

    #[test]
    fn quantized() {
        expect_quantized::<Greater>([false, false, true]);
        expect_words::<Greater>([false, false]);
    }
}
