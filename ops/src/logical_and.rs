//! LOGICAL_AND: `y = a ∧ b`, with broadcasting. bool. May run in place.
//! Defined by: tflite/kernels/logical.cc.

use arenite_abi::prelude::*;

use crate::kit::logical::{Logical, Member};

/// Prepared node.
pub type LogicalAnd = Logical<Both>;

/// True if both are.
pub struct Both;

impl Member for Both {
    const CODE: OpCode = OpCode::Builtin(op::LOGICAL_AND);

    fn value(a: bool, b: bool) -> bool {
        a && b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::logical::tests::{expect, expect_refusals};

    #[test]
    fn values() {
        expect::<LogicalAnd>([false, false, false, true]);
    }

    #[test]
    fn refusals() {
        expect_refusals::<LogicalAnd>();
    }
}
