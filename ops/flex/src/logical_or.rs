//! LogicalOr: `y = a ∨ b`. Inputs broadcast. BOOL. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_logical_or.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type LogicalOr = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLogicalOr";
    const FUNCTIONS: Functions = Functions { bool: Some(|a, b| a || b), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::LogicalOr;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        bool_pairs::<LogicalOr>(&[
            (true, true, true),
            (true, false, true),
            (false, true, true),
            (false, false, false),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<LogicalOr>(2);
        refuses_pair::<LogicalOr>(
            Tensor::f32(&[], &[1.0]),
            "inputs are FLOAT32, which this op does not serve",
        );
        refuses_pair::<LogicalOr>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
    }
}
