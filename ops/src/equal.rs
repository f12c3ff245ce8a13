//! EQUAL: `y = a == b`, with broadcasting. f32, f16, i16, i32, i64, bool, strings; i8, u8, i16 quantized. Supports
//! in-place operation.
//! Defined by: tflite/kernels/comparisons.cc.

use core::cmp::Ordering;

use arenite_abi::prelude::*;

use crate::kit::compare::{Comparison, Relation};

/// A prepared `EQUAL` node.
pub type Equal = Comparison<EqualityRelation>;

/// Tests `a == b`.
pub struct EqualityRelation;

impl Relation for EqualityRelation {
    const CODE: OpCode = OpCode::Builtin(op::EQUAL);
    const VERSIONS: RangeInclusive<i32> = 1..=5;
    const INPUTS: &'static [ElementType] =
        &[F32, F16, I16, I32, I64, I8, U8, ElementType::Bool, ElementType::String];
    const SCALES_WORDS: bool = true;

    fn holds(order: Option<Ordering>) -> bool {
        order == Some(Ordering::Equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::compare::tests::*;

    #[test]
    fn values() {
        expect::<Equal>([false, true, false], false);
    }

    #[test]
    fn quantized() {
        expect_quantized::<Equal>([false, true, false]);
        expect_words::<Equal>([true, false]);
    }

    #[test]
    fn booleans_and_strings() {
        expect_identity::<Equal>(true);
    }
}
