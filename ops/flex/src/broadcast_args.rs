//! BroadcastArgs: the shape that two shapes broadcast to. I32, I64.
//! Defined by: tensorflow/core/kernels/bcast_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::broadcast::broadcast_dims;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexBroadcastArgs` op.
pub type BroadcastArgs = Node<Definition>;

/// Shape function and kernel of `FlexBroadcastArgs`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexBroadcastArgs";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        for i in [0, 1] {
            let x = node.input(i)?;
            ensure!(x.rank() == 1, "{x} is {:?}; a list is needed", x.shape);
        }
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        shape_of([x.dims(0)?.flat_size().max(x.dims(1)?.flat_size()) as i64]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let shapes = [shape_of(integers(&call.input(0)?)?)?, shape_of(integers(&call.input(1)?)?)?];
        let [a, b] = &shapes;
        let shape = broadcast_dims([a, b])
            .ok_or_else(|| invalid!("{:?} and {:?} do not broadcast", a.as_slice(), b.as_slice()))?;
        put_integers(call.output(0)?, shape.as_slice().iter().map(|&d| d.into()))
    }
}
