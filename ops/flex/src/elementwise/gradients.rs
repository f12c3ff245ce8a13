//! Gradients of element-wise functions. Both inputs have the same shape.

use crate::kit::binary::{Binary, Functions};
use crate::kit::{complex, functions};
use crate::{alike, family};

family! { Binary:
    /// EluGrad: `dx = dy`, multiplied by `y + 1` where `y` is negative; inputs `dy`, `y`. Reals. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/relu_op.cc.
    EluGrad "FlexEluGrad" = alike! { float: |dy, y| if y < 0.0 { dy * (y + 1.0) } else { dy } };

    /// InvGrad: `dx = −dy · ȳ²`, with the conjugate of `y`, zero where `dy` is zero; inputs `y`, `dy`. Reals, complex
    /// numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_inverse.cc.
    InvGrad "FlexInvGrad" = alike! {
        stepwise: |y, dy, round| if dy == 0.0 { 0.0 } else { -dy * round(y * y) },
        complex: |y, dy| {
            let y = complex::conj(y);
            complex::mul(complex::mul(complex::complex(-dy.re, -dy.im), y), y)
        },
    };

    /// ReciprocalGrad: `dx = −dy · ȳ²`, with the conjugate of `y`, zero where `dy` is zero; inputs `y`, `dy`. Reals,
    /// complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_inverse.cc.
    ReciprocalGrad "FlexReciprocalGrad" = alike! {
        stepwise: |y, dy, round| if dy == 0.0 { 0.0 } else { -dy * round(y * y) },
        complex: |y, dy| {
            let y = complex::conj(y);
            complex::mul(complex::mul(complex::complex(-dy.re, -dy.im), y), y)
        },
    };

    /// Relu6Grad: `dx = dy` where `0 < x < 6`, else zero; inputs `dy`, `x`. Reals, integers. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/relu_op.cc.
    Relu6Grad "FlexRelu6Grad" = alike! {
        float: |dy, x| dy * f64::from(x > 0.0 && x < 6.0),
        int: |dy, x, _| Some(if x > 0 && x < 6 { dy } else { 0 }),
    };

    /// ReluGrad: `dx = dy` where `x > 0`, else zero; inputs `dy`, `x`. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/relu_op.cc.
    ReluGrad "FlexReluGrad" = alike! {
        float: |dy, x| dy * f64::from(x > 0.0),
        int: |dy, x, _| Some(if x > 0 { dy } else { 0 }),
    };

    /// RsqrtGrad: `dx = −dy · ȳ³ / 2`, with the conjugate of `y`, zero where `dy` is zero; inputs `y`, `dy`. Reals,
    /// complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_rsqrt.cc.
    RsqrtGrad "FlexRsqrtGrad" = alike! {
        float: |y, dy| if dy == 0.0 { 0.0 } else { -0.5 * dy * y * y * y },
        complex: |y, dy| {
            let y = complex::conj(y);
            let half = complex::complex(-0.5 * dy.re, -0.5 * dy.im);
            complex::mul(complex::mul(half, y), complex::mul(y, y))
        },
    };

    /// SeluGrad: the gradient of SELU; inputs `dy`, `y`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/relu_op.cc.
    SeluGrad "FlexSeluGrad" = alike! {
        float: |dy, y| {
            dy * if y < 0.0 { y + functions::SELU_SCALE_ALPHA } else { functions::SELU_SCALE }
        },
    };

    /// SigmoidGrad: `dx = dy · y (1 − y)`; inputs `y`, `dy`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_sigmoid.cc.
    SigmoidGrad "FlexSigmoidGrad" = alike! {
        float: |y, dy| dy * y * (1.0 - y),
        complex: |y, dy| complex::mul(complex::mul(dy, y), complex::sub(complex::real(1.0), y)),
    };

    /// SoftplusGrad: `dx = dy / (1 + e^−x)`; inputs `dy`, `x`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/softplus_op.cc.
    SoftplusGrad "FlexSoftplusGrad" = alike! { float: |dy, x| dy * functions::sigmoid(x) };

    /// SoftsignGrad: `dx = dy / (1 + |x|)²`; inputs `dy`, `x`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/softsign_op.cc.
    SoftsignGrad "FlexSoftsignGrad" = alike! { float: |dy, x| dy / ((1.0 + x.abs()) * (1.0 + x.abs())) };

    /// SqrtGrad: `dx = dy / (2 ȳ)`, with the conjugate of `y`, zero where `dy` is zero; inputs `y`, `dy`. Reals,
    /// complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_sqrt.cc.
    SqrtGrad "FlexSqrtGrad" = alike! {
        float: |y, dy| if dy == 0.0 { 0.0 } else { 0.5 * dy / y },
        complex: |y, dy| {
            let half = complex::complex(0.5 * dy.re, 0.5 * dy.im);
            if half == complex::real(0.0) { half } else { complex::div(half, complex::conj(y)) }
        },
    };

    /// TanhGrad: `dx = dy (1 − y²)`; inputs `y`, `dy`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_tanh.cc.
    TanhGrad "FlexTanhGrad" = alike! {
        float: |y, dy| dy * (1.0 - y * y),
        complex: |y, dy| complex::mul(dy, complex::sub(complex::real(1.0), complex::mul(y, y))),
    };
}

#[cfg(test)]
mod tests;
