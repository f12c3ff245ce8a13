//! Functions of one number: parts, signs, rounding, classification.

use crate::kit::unary::{Functions, Unary};
use crate::kit::{complex, functions};
use crate::{family, of};

family! { Unary:
    /// Abs: `y = |x|`. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_abs.cc.
    Abs "FlexAbs" = of! { float: libm::fabs, int: |x| x.wrapping_abs() };

    /// Angle: the argument of a complex number. Complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_arg.cc.
    Angle "FlexAngle" = of! { part: complex::arg };

    /// Ceil: `y = ⌈x⌉`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_ceil.cc.
    Ceil "FlexCeil" = of! { float: libm::ceil };

    /// ComplexAbs: `y = |x|`. Complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_abs.cc.
    ComplexAbs "FlexComplexAbs" = of! { part: complex::abs };

    /// Conj: the conjugate. Complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_conj.cc.
    Conj "FlexConj" = of! { complex: complex::conj };

    /// Floor: `y = ⌊x⌋`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_floor.cc.
    Floor "FlexFloor" = of! { float: libm::floor };

    /// Imag: the imaginary part. Complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_imag.cc.
    Imag "FlexImag" = of! { part: |x| x.im };

    /// Inv: `y = 1 / x`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_inverse.cc.
    Inv "FlexInv" = of! { float: |x| 1.0 / x, complex: |x| complex::div(complex::real(1.0), x) };

    /// Invert: `y = ¬x`, bit by bit. Integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_invert.cc.
    Invert "FlexInvert" = of! { int: |x| !x };

    /// IsFinite: whether `x` is finite. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_isfinite.cc.
    IsFinite "FlexIsFinite" = of! { test: f64::is_finite };

    /// IsInf: whether `x` is infinite. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_isinf.cc.
    IsInf "FlexIsInf" = of! { test: f64::is_infinite };

    /// IsNan: whether `x` is NaN. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_isnan.cc.
    IsNan "FlexIsNan" = of! { test: f64::is_nan };

    /// LogicalNot: `y = ¬x`. BOOL. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_logical_not.cc.
    LogicalNot "FlexLogicalNot" = of! { bool: |x| !x };

    /// Neg: `y = −x`. Reals, integers, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_neg.cc.
    Neg "FlexNeg" = of! {
        float: |x| -x,
        int: |x| x.wrapping_neg(),
        complex: |x| complex::complex(-x.re, -x.im),
    };

    /// Real: the real part. Complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_real.cc.
    Real "FlexReal" = of! { part: |x| x.re };

    /// Reciprocal: `y = 1 / x`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_inverse.cc.
    Reciprocal "FlexReciprocal" = of! {
        float: |x| 1.0 / x,
        complex: |x| complex::div(complex::real(1.0), x),
    };

    /// Rint: rounds to the nearest integer, ties to even. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_rint.cc.
    Rint "FlexRint" = of! { float: libm::rint };

    /// Round: rounds to the nearest integer, ties to even. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_round.cc.
    Round "FlexRound" = of! { float: libm::rint, int: |x| x };

    /// Sign: `y = x / |x|`; zeros stay unchanged. Reals, integers, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_sign.cc.
    Sign "FlexSign" = of! {
        float: functions::sign,
        int: |x| x.signum(),
        complex: |x| {
            let size = complex::abs(x);
            if size == 0.0 { x } else { complex::complex(x.re / size, x.im / size) }
        },
    };

    /// Square: `y = x²`. Reals, integers, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_square.cc.
    Square "FlexSquare" = of! {
        float: |x| x * x,
        int: |x| x.wrapping_mul(x),
        complex: |x| complex::mul(x, x),
    };
}

#[cfg(test)]
mod tests;
