//! OneHot: vectors of one value at the place that an index names, and another elsewhere. Any type. Inputs: indices, depth, on, off.
//! Defined by: tensorflow/core/kernels/one_hot_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::pick;

/// The op.
pub type OneHot = Node<Definition>;

/// What it computes.
pub struct Definition {
    axis: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexOneHot";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        Ok(Definition { axis: def.int("axis", -1)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(depth)) = (x.dims(0)?, x.integer(1)?) else { return Ok(None) };
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
