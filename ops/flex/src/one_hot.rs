//! OneHot: vectors that hold one value at the position given by an index, and another value elsewhere. Any type.
//! Inputs: indices, depth, on, off.
//! Defined by: tensorflow/core/kernels/one_hot_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexOneHot` op.
pub type OneHot = Node<Definition>;

/// Attributes, shape function and kernel of `FlexOneHot`.
pub struct Definition {
    axis: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexOneHot";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        for i in [2, 3] {
            let value = node.input(i)?;
            ensure!(value.rank() == 0, "{value} is {:?}; a scalar is needed", value.shape);
        }
        let axis = def.int("axis", -1)?;
        ensure!(axis >= -1, "attribute 'axis' is {axis}; it must be -1 or an axis");
        Ok(Definition { axis })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(depth)) = (x.dims(0)?, x.scalar(1)?) else { return Ok(None) };
        let mut sizes: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        sizes.insert(axis_of(self.axis, dims.rank() + 1)?, depth);
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let output = call.output_dims(0)?;
        let (_, depth, inner) = output.split_at(axis_of(self.axis, output.rank())?);
        let indices = integers(&call.input(0)?)?;
        pick(call, 0, &[call.input(2)?, call.input(3)?], |k| {
            let index = indices.get(k / (depth * inner) * inner + k % inner)?;
            Some((usize::from(*index != (k / inner % depth) as i64), 0))
        })
    }
}
