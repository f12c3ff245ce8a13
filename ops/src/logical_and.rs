//! LOGICAL_AND: `y = a ∧ b`, with broadcasting. bool. Supports in-place operation.
//! Defined by: tflite/kernels/logical.cc.

use arenite_abi::prelude::*;

use crate::kit::logical::{Logical, Member};

/// A prepared `LOGICAL_AND` node.
pub type LogicalAnd = Logical<Conjunction>;

/// True if both arguments are.
pub struct Conjunction;

impl Member for Conjunction {
    const CODE: OpCode = OpCode::Builtin(op::LOGICAL_AND);

    fn value(a: bool, b: bool) -> bool {
        a && b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::logical::tests::expect;

    #[test]
    fn values() {
        expect::<LogicalAnd>([false, false, false, true]);
    }
}
