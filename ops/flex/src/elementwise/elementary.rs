//! Functions of one number: powers, logarithms, trigonometric and hyperbolic functions.

use crate::kit::complex;
use crate::kit::unary::{Functions, Unary};
use crate::{family, of};

family! { Unary:
    /// Acos: `y = acos(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_acos.cc.
    Acos "FlexAcos" = of! { float: libm::acos, complex: complex::acos };

    /// Acosh: `y = acosh(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_acosh.cc.
    Acosh "FlexAcosh" = of! { float: libm::acosh, complex: complex::acosh };

    /// Asin: `y = asin(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_asin.cc.
    Asin "FlexAsin" = of! { float: libm::asin, complex: complex::asin };

    /// Asinh: `y = asinh(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_asinh.cc.
    Asinh "FlexAsinh" = of! { float: libm::asinh, complex: complex::asinh };

    /// Atan: `y = atan(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_atan.cc.
    Atan "FlexAtan" = of! { float: libm::atan, complex: complex::atan };

    /// Atanh: `y = atanh(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_atanh.cc.
    Atanh "FlexAtanh" = of! { float: libm::atanh, complex: complex::atanh };

    /// Cos: `y = cos(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_cos.cc.
    Cos "FlexCos" = of! { float: libm::cos, complex: complex::cos };

    /// Cosh: `y = cosh(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_cosh.cc.
    Cosh "FlexCosh" = of! { float: libm::cosh, complex: complex::cosh };

    /// Exp: `y = e^x`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_exp.cc.
    Exp "FlexExp" = of! { float: libm::exp, complex: complex::exp };

    /// Expm1: `y = e^x − 1`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_expm1.cc.
    Expm1 "FlexExpm1" = of! { float: libm::expm1, complex: complex::expm1 };

    /// Log: `y = log(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_log.cc.
    Log "FlexLog" = of! { float: libm::log, complex: complex::log };

    /// Log1p: `y = log(1 + x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_log1p.cc.
    Log1p "FlexLog1p" = of! { float: libm::log1p, complex: complex::log1p };

    /// Rsqrt: `y = 1 / √x`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_rsqrt.cc.
    Rsqrt "FlexRsqrt" = of! { float: |x| 1.0 / libm::sqrt(x), complex: complex::rsqrt };

    /// Sin: `y = sin(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_sin.cc.
    Sin "FlexSin" = of! { float: libm::sin, complex: complex::sin };

    /// Sinh: `y = sinh(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_sinh.cc.
    Sinh "FlexSinh" = of! { float: libm::sinh, complex: complex::sinh };

    /// Sqrt: `y = √x`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_sqrt.cc.
    Sqrt "FlexSqrt" = of! { float: libm::sqrt, complex: complex::sqrt };

    /// Tan: `y = tan(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_tan.cc.
    Tan "FlexTan" = of! { float: libm::tan, complex: complex::tan };

    /// Tanh: `y = tanh(x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_tanh.cc.
    Tanh "FlexTanh" = of! { float: libm::tanh, complex: complex::tanh };
}

#[cfg(test)]
mod tests;
