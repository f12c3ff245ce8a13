//! Pack: stacks inputs of one shape along a new axis. Any type.
//! Defined by: tensorflow/core/kernels/pack_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexPack` op.
pub type Pack = Node<Definition>;

/// Attributes, shape function and kernel of `FlexPack`.
pub struct Definition {
    axis: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexPack";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 1..=1)?;
        Ok(Definition { axis: def.int("axis", 0)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let first = x.dims(0)?;
        for i in 1..x.len() {
            let other = x.dims(i)?;
            ensure!(
                other == first,
                "inputs are {:?} and {:?}; they must agree",
                first.as_slice(),
                other.as_slice()
            );
        }
        let mut sizes: Vec<i64> = first.as_slice().iter().map(|&d| d.into()).collect();
        sizes.insert(axis_of(self.axis, first.rank() + 1)?, x.len() as i64);
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let axis = axis_of(self.axis, call.dims(0)?.rank() + 1)?;
        let (_, count, inner) = call.output_dims(0)?.split_at(axis);
        let sources = (0..count).map(|i| call.input(i)).collect::<Result<Vec<_>>>()?;
        pick(call, 0, &sources, |k| Some((k / inner % count, k / (inner * count) * inner + k % inner)))
    }
}
