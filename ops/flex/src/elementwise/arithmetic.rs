//! Functions of two numbers.

use crate::kit::binary::{Binary, Functions, StringConcatenation};
use crate::kit::{complex, functions};
use crate::{family, of};

family! { Binary:
    /// Add: `y = a + b`. Inputs broadcast. Reals, integers, complex numbers; strings are joined. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_add_1.cc.
    Add "FlexAdd" = of! {
        float: |a, b| a + b,
        int: |a, b, _| Some(a.wrapping_add(b)),
        complex: complex::add,
        joins: StringConcatenation,
    };

    /// AddV2: `y = a + b`. Inputs broadcast. Reals, integers, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_add_1.cc.
    AddV2 "FlexAddV2" = of! {
        float: |a, b| a + b,
        int: |a, b, _| Some(a.wrapping_add(b)),
        complex: complex::add,
    };

    /// Atan2: the angle of the point `(b, a)`. Inputs broadcast. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_atan2.cc.
    Atan2 "FlexAtan2" = of! { float: libm::atan2 };

    /// Div: `y = a / b`; integer quotients are truncated. Inputs broadcast. Reals, integers, complex numbers. Supports
    /// in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_div.cc.
    Div "FlexDiv" = of! { float: |a, b| a / b, int: |a, b, _| a.checked_div(b), complex: complex::div };

    /// DivNoNan: `y = a / b`, zero where `b` is zero. Inputs broadcast. Reals, complex numbers. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_div.cc.
    DivNoNan "FlexDivNoNan" = of! {
        float: |a, b| if b == 0.0 { 0.0 } else { a / b },
        complex: |a, b| if b == complex::real(0.0) { b } else { complex::div(a, b) },
    };

    /// FloorDiv: `y = ⌊a / b⌋`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_floor_div.cc.
    FloorDiv "FlexFloorDiv" = of! {
        stepwise: |a, b, round| libm::floor(round(a / b)),
        int: |a, b, _| {
            let quotient = a.checked_div(b)?;
            Some(quotient - i128::from(a % b != 0 && (a < 0) != (b < 0)))
        },
    };

    /// FloorMod: the remainder with the sign of `b`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_floor_mod.cc.
    FloorMod "FlexFloorMod" = of! {
        float: functions::floor_mod,
        int: |a, b, _| {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        },
    };

    /// Maximum: `y = max(a, b)`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_maximum.cc.
    Maximum "FlexMaximum" = of! { float: functions::maximum, int: |a, b, _| Some(a.max(b)) };

    /// Minimum: `y = min(a, b)`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_minimum.cc.
    Minimum "FlexMinimum" = of! { float: functions::minimum, int: |a, b, _| Some(a.min(b)) };

    /// Mod: the remainder with the sign of `a`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_mod.cc.
    Mod "FlexMod" = of! { float: libm::fmod, int: |a, b, _| a.checked_rem(b) };

    /// Mul: `y = a b`. Inputs broadcast. Reals, integers, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_mul_1.cc.
    Mul "FlexMul" = of! {
        float: |a, b| a * b,
        int: |a, b, _| Some(a.wrapping_mul(b)),
        complex: complex::mul,
    };

    /// MulNoNan: `y = a b`, zero where `b` is zero. Inputs broadcast. Reals, complex numbers. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_mul_1.cc.
    MulNoNan "FlexMulNoNan" = of! {
        float: |a, b| if b == 0.0 { 0.0 } else { a * b },
        complex: |a, b| if b == complex::real(0.0) { b } else { complex::mul(a, b) },
    };

    /// Pow: `y = a^b`. Inputs broadcast. Reals, integers, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_pow.cc.
    Pow "FlexPow" = of! { float: libm::pow, int: |a, b, _| functions::power(a, b), complex: complex::pow };

    /// RealDiv: `y = a / b`. Inputs broadcast. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_div.cc.
    RealDiv "FlexRealDiv" = of! { float: |a, b| a / b, complex: complex::div };

    /// SquaredDifference: `y = (a − b)²`. Inputs broadcast. Reals, integers, complex numbers. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_squared_difference.cc.
    SquaredDifference "FlexSquaredDifference" = of! {
        stepwise: |a, b, round| {
            let difference = round(a - b);
            difference * difference
        },
        int: |a, b, _| {
            let difference = a.wrapping_sub(b);
            Some(difference.wrapping_mul(difference))
        },
        complex: |a, b| {
            let difference = complex::sub(a, b);
            complex::mul(difference, complex::conj(difference))
        },
    };

    /// Sub: `y = a − b`. Inputs broadcast. Reals, integers, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_sub.cc.
    Sub "FlexSub" = of! {
        float: |a, b| a - b,
        int: |a, b, _| Some(a.wrapping_sub(b)),
        complex: complex::sub,
    };

    /// TruncateDiv: `y = a / b`, truncated towards zero. Inputs broadcast. Reals, integers. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_div.cc.
    TruncateDiv "FlexTruncateDiv" = of! {
        stepwise: |a, b, round| libm::trunc(round(a / b)),
        int: |a, b, _| a.checked_div(b),
    };

    /// TruncateMod: the remainder with the sign of `a`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_mod.cc.
    TruncateMod "FlexTruncateMod" = of! { float: libm::fmod, int: |a, b, _| a.checked_rem(b) };

    /// Xdivy: `y = a / b`, zero where `a` is zero. Inputs broadcast. Reals, complex numbers. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_xdivy.cc.
    Xdivy "FlexXdivy" = of! {
        float: |a, b| if a == 0.0 { 0.0 } else { a / b },
        complex: |a, b| if a == complex::real(0.0) { a } else { complex::div(a, b) },
    };

    /// Xlog1py: `y = a log(1 + b)`, zero where `a` is zero. Inputs broadcast. Reals, complex numbers. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_xlog1py.cc.
    Xlog1py "FlexXlog1py" = of! {
        float: |a, b| if a == 0.0 { 0.0 } else { a * libm::log1p(b) },
        complex: |a, b| if a == complex::real(0.0) { a } else { complex::mul(a, complex::log1p(b)) },
    };

    /// Xlogy: `y = a log(b)`, zero where `a` is zero. Inputs broadcast. Reals, complex numbers. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_xlogy.cc.
    Xlogy "FlexXlogy" = of! {
        float: |a, b| if a == 0.0 { 0.0 } else { a * libm::log(b) },
        complex: |a, b| if a == complex::real(0.0) { a } else { complex::mul(a, complex::log(b)) },
    };
}

#[cfg(test)]
mod tests;
