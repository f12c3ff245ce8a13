//! Functions of one number: special functions and activations.

use crate::kit::unary::{Functions, Unary};
use crate::kit::{complex, functions};
use crate::{family, of};

family! { Unary:
    /// Digamma: `y = Γ′(x) / Γ(x)`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_digamma.cc.
    Digamma "FlexDigamma" = of! { float: functions::digamma };

    /// Elu: `y = x` above zero, else `e^x − 1`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/relu_op.cc.
    Elu "FlexElu" = of! { float: |x| if x < 0.0 { libm::expm1(x) } else { x } };

    /// Erf: `y = erf(x)`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_erf.cc.
    Erf "FlexErf" = of! { float: libm::erf };

    /// Erfc: `y = 1 − erf(x)`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_erfc.cc.
    Erfc "FlexErfc" = of! { float: libm::erfc };

    /// Erfinv: `y = erf⁻¹(x)`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_ndtri.cc.
    Erfinv "FlexErfinv" = of! { float: functions::erfinv };

    /// Lgamma: `y = log |Γ(x)|`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_lgamma.cc.
    Lgamma "FlexLgamma" = of! { float: libm::lgamma };

    /// Ndtri: `y = Φ⁻¹(x)`, the quantile of the normal distribution. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_ndtri.cc.
    Ndtri "FlexNdtri" = of! { float: functions::ndtri };

    /// Relu: `y = max(x, 0)`. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/relu_op.cc.
    Relu "FlexRelu" = of! { float: |x| if x < 0.0 { 0.0 } else { x }, int: |x| x.max(0) };

    /// Relu6: `y = min(max(x, 0), 6)`. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/relu_op.cc.
    Relu6 "FlexRelu6" = of! { float: |x| x.clamp(0.0, 6.0), int: |x| x.clamp(0, 6) };

    /// Selu: ELU with fixed scales. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/relu_op.cc.
    Selu "FlexSelu" = of! {
        float: |x| {
            if x < 0.0 { functions::SELU_SCALE_ALPHA * libm::expm1(x) } else { functions::SELU_SCALE * x }
        },
    };

    /// Sigmoid: `y = 1 / (1 + e^−x)`. Reals, complex numbers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_sigmoid.cc.
    Sigmoid "FlexSigmoid" = of! {
        float: functions::sigmoid,
        complex: |x| {
            let one = complex::real(1.0);
            complex::div(one, complex::add(one, complex::exp(complex::complex(-x.re, -x.im))))
        },
    };

    /// Softplus: `y = log(1 + e^x)`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/softplus_op.cc.
    Softplus "FlexSoftplus" = of! { float: functions::softplus };

    /// Softsign: `y = x / (1 + |x|)`. Reals. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/softsign_op.cc.
    Softsign "FlexSoftsign" = of! { float: |x| x / (1.0 + x.abs()) };
}

#[cfg(test)]
mod tests;
