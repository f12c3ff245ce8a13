//! Cast: converts numbers to another type; complex numbers lose their imaginary part. Numbers, BOOL. With `Truncate`,
//! reals are rounded towards zero.
//! Defined by: tensorflow/core/kernels/cast_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexCast` op.
pub type Cast = Node<Definition>;

/// Attributes, shape function and kernel of `FlexCast`.
pub struct Definition {
    /// With `Truncate`, the low mantissa bits of an f64 that the narrower type cannot hold; else 0.
    cut: u64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexCast";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        for tensor in [&x, &y] {
            let served = tensor.ty.bits() >= 8 || tensor.ty == ElementType::Bool;
            ensure!(served, "'{}' is {}, which this op does not support", tensor.name, tensor.ty);
        }
        let missing = match (x.ty, y.ty) {
            (F64, F32) => 29,
            (F64 | F32, F16) => 42,
            (F32, BF16) => 45,
            _ => 0,
        };
        Ok(Definition { cut: if def.bool("Truncate", false)? { (1 << missing) - 1 } else { 0 } })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let from = call.input(0)?;
        let y = call.output(0)?;
        let (x, to) = (Values::of(&from)?, y.ty());
        match to {
            ElementType::Bool => Values::Int(match x {
                Values::Real(x) => x.iter().map(|&x| (x != 0.0).into()).collect(),
                Values::Complex(x) => x.iter().map(|x| (x.re != 0.0).into()).collect(),
                Values::Int(x) => x,
            }),
            F16 | BF16 | F32 | F64 => Values::Real(match x {
                Values::Real(x) => x.iter().map(|&x| self.cut_off(x)).collect(),
                Values::Complex(x) => x.iter().map(|x| x.re).collect(),
                Values::Int(x) => x.iter().map(|&x| x as f64).collect(),
            }),
            C64 | C128 => Values::Complex(match x {
                Values::Real(x) => x.iter().map(|&re| Complex64 { re, im: 0.0 }).collect(),
                Values::Complex(x) => x,
                Values::Int(x) => x.iter().map(|&x| Complex64 { re: x as f64, im: 0.0 }).collect(),
            }),
            _ => Values::Int(match x {
                Values::Real(x) => x.iter().map(|&x| integer(x, to)).collect(),
                Values::Complex(x) => x.iter().map(|x| integer(x.re, to)).collect(),
                Values::Int(x) => x,
            }),
        }
        .put(y)
    }
}

impl Definition {
    fn cut_off(&self, x: f64) -> f64 {
        if x.is_nan() { x } else { f64::from_bits(x.to_bits() & !self.cut) }
    }
}

/// Truncates towards zero. Values out of range give what x86-64 gives: the low bits of the most negative 32-bit or
/// 64-bit integer.
fn integer(x: f64, to: ElementType) -> i128 {
    let (low, high) = if matches!(to, I64 | U64 | U32) {
        (-(1i128 << 63), 1i128 << 63)
    } else {
        (-(1i128 << 31), 1i128 << 31)
    };
    let whole = if x.is_nan() { high } else { x as i128 };
    match to {
        U64 if (0..1i128 << 64).contains(&whole) => whole,
        _ if (low..high).contains(&whole) => whole,
        _ => low,
    }
}

#[cfg(test)]
mod tests {
    use super::Cast;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn to_other_types() {
        for ty in [F16, BF16, F64] {
            gives::<Cast>(
                &[],
                &[of(F32, &[4], &[2.75, -2.75, 0.0, 7.0])],
                of(ty, &[4], &[2.75, -2.75, 0.0, 7.0]),
            );
        }
        for ty in [I8, I16, I32, I64] {
            gives::<Cast>(
                &[],
                &[of(F32, &[4], &[2.75, -2.75, 0.0, 7.0])],
                of(ty, &[4], &[2.0, -2.0, 0.0, 7.0]),
            );
        }
        for ty in [U8, U16, U32, U64] {
            gives::<Cast>(&[], &[of(F32, &[3], &[2.75, 0.0, 7.0])], of(ty, &[3], &[2.0, 0.0, 7.0]));
        }
        gives::<Cast>(&[], &[of(F32, &[2], &[2.0, -3.0])], complex_of(C64, &[2], &[(2.0, 0.0), (-3.0, 0.0)]));
        gives::<Cast>(
            &[],
            &[of(F32, &[4], &[0.5, 0.0, -0.0, NAN])],
            Tensor::bool(&[4], &[true, false, false, true]),
        );
        for ty in [F32, I8] {
            gives::<Cast>(&[], &[Tensor::bool(&[2], &[true, false])], of(ty, &[2], &[1.0, 0.0]));
        }
        gives::<Cast>(&[], &[complex_of(C64, &[2], &[(2.0, 9.0), (0.0, 1.0)])], of(F32, &[2], &[2.0, 0.0]));
        gives::<Cast>(
            &[],
            &[complex_of(C64, &[2], &[(2.0, 9.0), (0.0, 1.0)])],
            Tensor::bool(&[2], &[true, false]),
        );
        gives::<Cast>(&[], &[complex_of(C128, &[1], &[(2.5, 9.0)])], Tensor::i32(&[1], &[2]));
        gives::<Cast>(&[], &[complex_of(C128, &[1], &[(2.5, 9.0)])], complex_of(C64, &[1], &[(2.5, 9.0)]));
    }

    #[test]
    fn integers_keep_their_low_bits() {
        let x = Tensor::u64(&[1], &[18446744073709551615]);
        gives::<Cast>(&[], &[Tensor::i32(&[3], &[300, -1, -129])], Tensor::i8(&[3], &[44, -1, 127]));
        gives::<Cast>(&[], &[Tensor::i32(&[2], &[300, -1])], Tensor::u8(&[2], &[44, 255]));
        gives::<Cast>(&[], &[Tensor::i64(&[2], &[1099511627781, -1])], Tensor::i32(&[2], &[5, -1]));
        gives::<Cast>(&[], &[Tensor::i32(&[1], &[-1])], x.clone());
        gives::<Cast>(&[], from_ref(&x), Tensor::i64(&[1], &[-1]));
        gives::<Cast>(&[], &[Tensor::i32(&[1], &[16777217])], of(F32, &[1], &[16777216.0]));
        gives::<Cast>(&[], from_ref(&x), of(F64, &[1], &[1.8446744073709552e+19]));
    }

    #[test]
    fn rounding() {
        let truncate = [("Truncate", Attribute::Bool(true))];
        gives::<Cast>(
            &[],
            &[of(F32, &[3], &[2049.0, 2051.0, 70000.0])],
            of(F16, &[3], &[2048.0, 2052.0, INF]),
        );
        gives::<Cast>(
            &truncate,
            &[of(F32, &[4], &[2049.0, 2051.0, 65520.0, 70000.0])],
            of(F16, &[4], &[2048.0, 2050.0, 65504.0, INF]),
        );
        gives::<Cast>(
            &[],
            &[of(F32, &[2], &[1.003_906_25, 1.011_718_75])],
            of(BF16, &[2], &[1.0, 1.015_625]),
        );
        gives::<Cast>(
            &truncate,
            &[of(F32, &[2], &[1.003_906_25, 1.011_718_75])],
            of(BF16, &[2], &[1.0, 1.007_812_5]),
        );
        gives::<Cast>(
            &[],
            &[of(F64, &[2], &[1.999_999_999_9, -1.999_999_999_9])],
            of(F32, &[2], &[2.0, -2.0]),
        );
        gives::<Cast>(
            &truncate,
            &[of(F64, &[2], &[1.999_999_999_9, -1.999_999_999_9])],
            of(F32, &[2], &[1.999_999_880_790_710_4, -1.999_999_880_790_710_4]),
        );
        gives::<Cast>(&truncate, &[of(F32, &[2], &[NAN, -INF])], of(F16, &[2], &[NAN, -INF]));
    }

    #[test]
    fn edges() {
        gives::<Cast>(
            &[],
            &[of(F32, &[3], &[3000000000.0, NAN, -INF])],
            Tensor::i32(&[3], &[-2147483648, -2147483648, -2147483648]),
        );
        gives::<Cast>(
            &[],
            &[of(F32, &[2], &[1e+19, NAN])],
            Tensor::i64(&[2], &[-9223372036854775808, -9223372036854775808]),
        );
        gives::<Cast>(&[], &[of(F32, &[], &[5.0])], Tensor::i32(&[], &[5]));
        gives::<Cast>(&[], &[of(F32, &[0, 2], &[])], Tensor::i32(&[0, 2], &[]));
    }

    #[test]
    fn refusals() {
        denies::<Cast>(
            &[Tensor::strings(&[1], &["a"])],
            F32,
            "'in0' is STRING, which this op does not support",
        );
        denies::<Cast>(
            &[of(F32, &[1], &[1.0])],
            ElementType::String,
            "'out0' is STRING, which this op does not support",
        );
    }
}
