//! Unpack: splits the input into its slices along an axis. Any type.
//! Defined by: tensorflow/core/kernels/unpack_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexUnpack` op.
pub type Unpack = Node<Definition>;

/// Attributes, shape function and kernel of `FlexUnpack`.
pub struct Definition {
    axis: i64,
    count: usize,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexUnpack";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 0..=usize::MAX)?;
        Ok(Definition { axis: def.int("axis", 0)?, count: node.output_count() })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        let axis = axis_of(self.axis, dims.rank())?;
        ensure!(
            self.count == dims.size(axis),
            "axis {axis} of {:?} does not match {} outputs",
            dims.as_slice(),
            self.count
        );
        let mut sizes: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        sizes.remove(axis);
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (_, size, inner) = dims.split_at(axis_of(self.axis, dims.rank())?);
        for i in (0..call.cx.output_count()).filter(|&i| call.wants(i)) {
            let x = call.input(0)?;
            pick(call, i, &[x], |k| Some((0, (k / inner * size + i) * inner + k % inner)))?;
        }
        Ok(())
    }
}
