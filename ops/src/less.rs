//! LESS: `y = a < b`, with broadcasting. f32, f16, bf16, i16, i32, i64; i8, u8 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/comparisons.cc.

use core::cmp::Ordering;

use arenite_abi::prelude::*;

use crate::kit::compare::{Comparison, Relation};

/// A prepared `LESS` node.
pub type Less = Comparison<LessRelation>;

/// Tests `a < b`.
pub struct LessRelation;

impl Relation for LessRelation {
    const CODE: OpCode = OpCode::Builtin(op::LESS);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const INPUTS: &'static [ElementType] = &[F32, F16, BF16, I16, I32, I64, I8, U8];
    const SCALES_WORDS: bool = false;

    fn holds(order: Option<Ordering>) -> bool {
        order == Some(Ordering::Less)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::compare::tests::*;

    #[test]
    fn values() {
        expect::<Less>([true, false, false], false);
    }

    #[test]
    fn quantized() {
        expect_quantized::<Less>([true, false, false]);
        expect_words::<Less>([true, false]);
    }
}
