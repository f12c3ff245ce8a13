//! ClipByValue: `y = max(min(x, high), low)`. Reals, integers; complex numbers by their parts. Inputs: x, low, high;
//! each limit is a scalar or has the shape of x.
//! Defined by: tensorflow/core/kernels/cwise_op_clip.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::node;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::values::Values;

/// The `FlexClipByValue` op.
pub type ClipByValue = Node<Definition>;

/// Shape function and kernel of `FlexClipByValue`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexClipByValue";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let y = node.output(0)?;
        let served =
            matches!(y.ty, F16 | BF16 | F32 | F64 | C64 | C128 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64);
        ensure!(served, "output {y} is {}, which this op does not support", y.ty);
        for i in 0..3 {
            let x = node.input(i)?;
            node::same_type(&x, &y)?;
        }
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        for i in 1..3 {
            let limit = x.get(i)?;
            ensure!(
                limit.rank() == 0 || limit.shape == dims.as_slice(),
                "limit {limit} is {:?}; it must be a scalar or {:?}",
                limit.shape,
                dims.as_slice()
            );
        }
        Ok(Some(dims))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let limits = (Values::of(&call.input(1)?)?, Values::of(&call.input(2)?)?);
        let scalar = [call.dims(1)?.rank() == 0, call.dims(2)?.rank() == 0];
        let at = |limit: usize, i: usize| if scalar[limit] { 0 } else { i };
        match (Values::of(&call.input(0)?)?, limits) {
            (Values::Real(mut x), (Values::Real(low), Values::Real(high))) => {
                x.iter_mut().enumerate().for_each(|(i, x)| *x = clip(*x, low[at(0, i)], high[at(1, i)]));
                Values::Real(x)
            }
            (Values::Int(mut x), (Values::Int(low), Values::Int(high))) => {
                x.iter_mut().enumerate().for_each(|(i, x)| *x = clip(*x, low[at(0, i)], high[at(1, i)]));
                Values::Int(x)
            }
            (Values::Complex(mut x), (Values::Complex(low), Values::Complex(high))) => {
                for (i, x) in x.iter_mut().enumerate() {
                    let (low, high) = (low[at(0, i)], high[at(1, i)]);
                    *x = Complex64 { re: clip(x.re, low.re, high.re), im: clip(x.im, low.im, high.im) };
                }
                Values::Complex(x)
            }
            _ => return Err(invalid!("the input and its limits differ in type")),
        }
        .put(call.output(0)?)
    }
}

/// A limit that is NaN is ignored. If the lower limit is above the upper one, the lower one wins.
fn clip<T: PartialOrd>(x: T, low: T, high: T) -> T {
    let x = if high < x { high } else { x };
    if x < low { low } else { x }
}
