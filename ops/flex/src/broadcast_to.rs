//! BroadcastTo: repeats the input along its axes of size 1 to fill a larger shape. Any type.
//! Defined by: tensorflow/core/kernels/broadcast_to_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::broadcast::Broadcast;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexBroadcastTo` op.
pub type BroadcastTo = Node<Definition>;

/// Shape function and kernel of `FlexBroadcastTo`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexBroadcastTo";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(shape)) = (x.dims(0)?, x.sizes(1)?) else { return Ok(None) };
        ensure!(x.dims(1)?.rank() == 1, "the shape is {:?}; a list is needed", x.dims(1)?.as_slice());
        let fits = Broadcast::onto([&dims], &shape).is_some();
        ensure!(fits, "{:?} does not broadcast to {:?}", dims.as_slice(), shape.as_slice());
        Ok(Some(shape))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        let skip = output.rank() - dims.rank();
        pick(call, 0, &[call.input(0)?], |k| {
            let at = unravel(k, &output);
            let mut from = [0; 8];
            (0..dims.rank())
                .for_each(|axis| from[axis] = if dims.size(axis) == 1 { 0 } else { at[axis + skip] });
            Some((0, ravel(&from, &dims)))
        })
    }
}
