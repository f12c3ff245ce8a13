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
            ensure!(served, "{tensor} is {}, which this op does not support", tensor.ty);
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
