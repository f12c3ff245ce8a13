//! Products of batches of matrices.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::matmul::{self, BatchAxes, Member};

family! { FamilyNode<matmul::MatMul>:
    /// BatchMatMul: products of matrices with equal batch axes. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/batch_matmul_op_impl.h.
    BatchMatMul "FlexBatchMatMul" = Member {
        turned: ["adj_x", "adj_y"],
        adjoint: true,
        ahead: BatchAxes::Equal,
        mixed: false,
    };

    /// BatchMatMulV2: products of matrices whose batch axes broadcast. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/batch_matmul_op_impl.h.
    BatchMatMulV2 "FlexBatchMatMulV2" = Member {
        turned: ["adj_x", "adj_y"],
        adjoint: true,
        ahead: BatchAxes::Broadcast,
        mixed: false,
    };

    /// BatchMatMulV3: products of matrices whose batch axes broadcast. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/batch_matmul_op_impl.h.
    BatchMatMulV3 "FlexBatchMatMulV3" = Member {
        turned: ["adj_x", "adj_y"],
        adjoint: true,
        ahead: BatchAxes::Broadcast,
        mixed: true,
    };

    /// MatMul: the product of two matrices. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/matmul_op_fused.cc.
    MatMul "FlexMatMul" = Member {
        turned: ["transpose_a", "transpose_b"],
        adjoint: false,
        ahead: BatchAxes::None,
        mixed: false,
    };
}
