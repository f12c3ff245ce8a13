//! Bitwise functions of two integers, and logical functions of two booleans.

use crate::kit::binary::{Binary, Functions};
use crate::kit::functions;
use crate::{family, of};

family! { Binary:
    /// BitwiseAnd: `y = a ∧ b`, bit by bit. Inputs broadcast. Integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_bitwise_and.cc.
    BitwiseAnd "FlexBitwiseAnd" = of! { int: |a, b, _| Some(a & b) };

    /// BitwiseOr: `y = a ∨ b`, bit by bit. Inputs broadcast. Integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_bitwise_or.cc.
    BitwiseOr "FlexBitwiseOr" = of! { int: |a, b, _| Some(a | b) };

    /// BitwiseXor: `y = a ⊕ b`, bit by bit. Inputs broadcast. Integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_bitwise_xor.cc.
    BitwiseXor "FlexBitwiseXor" = of! { int: |a, b, _| Some(a ^ b) };

    /// LeftShift: `y = a · 2^b`; shift counts are clamped to `0..width`. Inputs broadcast. Integers. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_left_shift.cc.
    LeftShift "FlexLeftShift" = of! { int: |a, b, width| Some(a << functions::shift(b, width)) };

    /// LogicalAnd: `y = a ∧ b`. Inputs broadcast. BOOL. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_logical_and.cc.
    LogicalAnd "FlexLogicalAnd" = of! { bool: |a, b| a && b };

    /// LogicalOr: `y = a ∨ b`. Inputs broadcast. BOOL. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_logical_or.cc.
    LogicalOr "FlexLogicalOr" = of! { bool: |a, b| a || b };

    /// RightShift: `y = ⌊a / 2^b⌋`; shift counts are clamped to `0..width`. Inputs broadcast. Integers. Supports
    /// in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_right_shift.cc.
    RightShift "FlexRightShift" = of! { int: |a, b, width| Some(a >> functions::shift(b, width)) };
}

#[cfg(test)]
mod tests;
