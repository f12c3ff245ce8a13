//! Functions of one number: its parts, its sign, its rounding, what it is.

use crate::kit::unary::{Functions, Unary};
use crate::kit::{complex, functions};
use crate::{family, of};

family! { Unary:
    /// Abs: `y = |x|`. Reals, integers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_abs.cc.
    Abs "FlexAbs" = of! { float: libm::fabs, int: |x| x.wrapping_abs() };

    /// Angle: the angle of a complex number. Complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_arg.cc.
    Angle "FlexAngle" = of! { part: complex::arg };

    /// Ceil: `y = ⌈x⌉`. Reals. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_ceil.cc.
    Ceil "FlexCeil" = of! { float: libm::ceil };

    /// ComplexAbs: `y = |x|` of complex numbers. Complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_abs.cc.
    ComplexAbs "FlexComplexAbs" = of! { part: complex::abs };

    /// Conj: the conjugate. Complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_conj.cc.
    Conj "FlexConj" = of! { complex: complex::conj };

    /// Floor: `y = ⌊x⌋`. Reals. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_floor.cc.
    Floor "FlexFloor" = of! { float: libm::floor };

    /// Imag: the imaginary part. Complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_imag.cc.
    Imag "FlexImag" = of! { part: |x| x.im };

    /// Inv: `y = 1 / x`. Reals, complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_inverse.cc.
    Inv "FlexInv" = of! { float: |x| 1.0 / x, complex: |x| complex::div(complex::real(1.0), x) };

    /// Invert: `y = ¬x`, bit by bit. Integers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_invert.cc.
    Invert "FlexInvert" = of! { int: |x| !x };

    /// IsFinite: whether `x` is finite. Reals. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_isfinite.cc.
    IsFinite "FlexIsFinite" = of! { test: f64::is_finite };

    /// IsInf: whether `x` is infinite. Reals. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_isinf.cc.
    IsInf "FlexIsInf" = of! { test: f64::is_infinite };

    /// IsNan: whether `x` is no number. Reals. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_isnan.cc.
    IsNan "FlexIsNan" = of! { test: f64::is_nan };

    /// LogicalNot: `y = ¬x`. BOOL. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_logical_not.cc.
    LogicalNot "FlexLogicalNot" = of! { bool: |x| !x };

    /// Neg: `y = −x`. Reals, integers, complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_neg.cc.
    Neg "FlexNeg" = of! {
        float: |x| -x,
        int: |x| x.wrapping_neg(),
        complex: |x| complex::complex(-x.re, -x.im),
    };

    /// Real: the real part. Complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_real.cc.
    Real "FlexReal" = of! { part: |x| x.re };

    /// Reciprocal: `y = 1 / x`. Reals, complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_inverse.cc.
    Reciprocal "FlexReciprocal" = of! {
        float: |x| 1.0 / x,
        complex: |x| complex::div(complex::real(1.0), x),
    };

    /// Rint: `y` is the nearest integer, the even one of two. Reals. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_rint.cc.
    Rint "FlexRint" = of! { float: libm::rint };

    /// Round: `y` is the nearest integer, the even one of two. Reals, integers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_round.cc.
    Round "FlexRound" = of! { float: libm::rint, int: |x| x };

    /// Sign: `y = x / |x|`, zeros as they are. Reals, integers, complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_sign.cc.
    Sign "FlexSign" = of! {
        float: functions::sign,
        int: |x| x.signum(),
        complex: |x| {
            let size = complex::abs(x);
            if size == 0.0 { x } else { complex::complex(x.re / size, x.im / size) }
        },
    };

    /// Square: `y = x²`. Reals, integers, complex numbers. May run in place.
    /// Defined by: tensorflow/core/kernels/cwise_op_square.cc.
    Square "FlexSquare" = of! {
        float: |x| x * x,
        int: |x| x.wrapping_mul(x),
        complex: |x| complex::mul(x, x),
    };
}

#[cfg(test)]
mod tests;
