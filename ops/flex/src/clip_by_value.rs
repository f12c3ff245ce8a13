//! ClipByValue: `y = min(max(x, low), high)`. Reals, integers. Inputs: x, low, high, which are scalars or of its shape.
//! Defined by: tensorflow/core/kernels/cwise_op_clip.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::functions::{maximum, minimum};
use crate::kit::values::Values;

/// The op.
pub type ClipByValue = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexClipByValue";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        for i in 1..3 {
            let other = call.dims(i)?;
            ensure!(other.flat_size() == 1 || other == dims, "limits are {:?}, the input {:?}", other.as_slice(), dims.as_slice());
        }
        let [x, low, high] = [Values::of(&call.input(0)?)?, Values::of(&call.input(1)?)?, Values::of(&call.input(2)?)?];
        let at = |count: usize, i: usize| if count == 1 { 0 } else { i };
        match (x, low, high) {
            (Values::Real(x), Values::Real(a), Values::Real(b)) => Values::Real(
                x.iter().enumerate().map(|(i, &x)| minimum(maximum(x, a[at(a.len(), i)]), b[at(b.len(), i)])).collect(),
            ),
            (Values::Int(x), Values::Int(a), Values::Int(b)) => {
                Values::Int(x.iter().enumerate().map(|(i, &x)| x.max(a[at(a.len(), i)]).min(b[at(b.len(), i)])).collect())
            }
            _ => return Err(invalid!("input and limits differ in type, or are not ordered")),
        }
        .put(call.output(0)?)
    }
}
