//! Cast: the same numbers in another type. Numbers, BOOL.
//! Defined by: tensorflow/core/kernels/cast_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The op.
pub type Cast = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexCast";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition)
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
                Values::Complex(x) => x.iter().map(|x| (x.re != 0.0 || x.im != 0.0).into()).collect(),
                Values::Int(x) => x,
            }),
            F16 | BF16 | F32 | F64 => Values::Real(match x {
                Values::Real(x) => x,
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

/// Cut off towards zero. What does not fit becomes what x86-64 makes of it: the lowest number of 32 or 64 bits, whose
/// low bits count.
fn integer(x: f64, to: ElementType) -> i128 {
    let (low, high) = if matches!(to, I64 | U64 | U32) { (-(1i128 << 63), 1i128 << 63) } else { (-(1i128 << 31), 1i128 << 31) };
    let whole = if x.is_nan() { high } else { x as i128 };
    match to {
        U64 if (0..1i128 << 64).contains(&whole) => whole,
        _ if (low..high).contains(&whole) => whole,
        _ => low,
    }
}
