//! BatchMatMulV2: products of stacks of matrices, whose axes ahead broadcast. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/batch_matmul_op_impl.h.

use crate::kit::kernel::Node;
use crate::kit::matmul::{MatMul, Member};

/// The op.
pub type BatchMatMulV2 = Node<MatMul<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexBatchMatMulV2";
    const TURNED: [&'static str; 2] = ["adj_x", "adj_y"];
    const ADJOINT: bool = true;
}
