//! LOGICAL_OR: `y = a ∨ b`, with broadcasting. bool. Supports in-place operation.
//! Defined by: tflite/kernels/logical.cc.

use arenite_abi::prelude::*;

use crate::kit::logical::{Logical, Member};

/// A prepared `LOGICAL_OR` node.
pub type LogicalOr = Logical<Either>;

/// True if either argument is.
pub struct Either;

impl Member for Either {
    const CODE: OpCode = OpCode::Builtin(op::LOGICAL_OR);

    fn value(a: bool, b: bool) -> bool {
        a || b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::logical::tests::expect;

    #[test]
    fn values() {
        expect::<LogicalOr>([false, true, true, true]);
    }
}
