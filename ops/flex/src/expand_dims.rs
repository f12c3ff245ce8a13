//! ExpandDims: inserts an axis of size 1. Any type.
//! Defined by: tensorflow/core/kernels/shape_ops.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexExpandDims` op.
pub type ExpandDims = Node<Definition>;

/// Shape function and kernel of `FlexExpandDims`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexExpandDims";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(axis)) = (x.dims(0)?, x.integer(1)?) else { return Ok(None) };
        let axis = axis_of(axis, dims.rank() + 1)?;
        let mut sizes: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        sizes.insert(axis, 1);
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        pick(call, 0, &[call.input(0)?], |k| Some((0, k)))
    }
}
