//! LogicalNot: `y = ¬x`. BOOL. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_logical_not.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type LogicalNot = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLogicalNot";
    const FUNCTIONS: Functions = Functions { bool: Some(|x| !x), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::LogicalNot;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        bools::<LogicalNot>(&[(true, false), (false, true)]);
    }

    #[test]
    fn refusals() {
        takes::<LogicalNot>(1);
        refuses::<LogicalNot>(
            &[Tensor::f32(&[], &[1.0])],
            "input 'in0' is FLOAT32, which this op does not serve",
        );
        refuses::<LogicalNot>(
            &[Tensor::i32(&[], &[1])],
            "input 'in0' is INT32, which this op does not serve",
        );
    }
}
