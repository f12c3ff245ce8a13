//! MatMul: the product of two matrices. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/matmul_op_fused.cc.

use crate::kit::kernel::Node;
use crate::kit::matmul::{self, Member};

/// The op.
pub type MatMul = Node<matmul::MatMul<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatMul";
    const TURNED: [&'static str; 2] = ["transpose_a", "transpose_b"];
    const ADJOINT: bool = false;
}
