//! LogicalAnd: `y = a ∧ b`. Inputs broadcast. BOOL. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_logical_and.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type LogicalAnd = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLogicalAnd";
    const FUNCTIONS: Functions = Functions { bool: Some(|a, b| a && b), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::LogicalAnd;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        bool_pairs::<LogicalAnd>(&[
            (true, true, true),
            (true, false, false),
            (false, true, false),
            (false, false, false),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<LogicalAnd>(2);
        refuses_pair::<LogicalAnd>(
            Tensor::f32(&[], &[1.0]),
            "inputs are FLOAT32, which this op does not serve",
        );
        refuses_pair::<LogicalAnd>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
    }
}
