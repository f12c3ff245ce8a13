//! Split: equal parts of the input along an axis. Any type. Inputs: axis, tensor.
//! Defined by: tensorflow/core/kernels/split_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::pick;

/// The op.
pub type Split = Node<Definition>;

/// What it computes.
pub struct Definition {
    count: usize,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexSplit";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=usize::MAX)?;
        Ok(Definition { count: node.output_count() })
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        let (dims, Some((axis, parts))) = (x.dims(1)?, self.parts(x)?) else { return Ok(None) };
        let mut sizes: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        sizes[axis] = parts.get(output).copied().unwrap_or_default() as i64;
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let Some((axis, parts)) = self.parts(&call.inputs())? else { return Err(invalid!("no parts")) };
        let (_, size, inner) = call.dims(1)?.split_at(axis);
        let mut start = 0;
        for (i, part) in parts.into_iter().enumerate() {
            if call.wants(i) {
                pick(call, i, &[call.input(1)?], |k| {
                    let (outer, rest) = (k / (part * inner), k % (part * inner));
                    Some((0, (outer * size + start) * inner + rest))
                })?;
            }
            start += part;
        }
        Ok(())
    }
}

impl Definition {
    /// The axis, and the size of each part.
    fn parts(&self, x: &Inputs<'_, '_>) -> Result<Option<(usize, Vec<usize>)>> {
        let (dims, Some(axis)) = (x.dims(1)?, x.integer(0)?) else { return Ok(None) };
        let axis = axis_of(axis, dims.rank())?;
        let count = self.count.max(1);
        ensure!(
            dims.size(axis).is_multiple_of(count),
            "axis {axis} of {:?} does not make {count} equal parts",
            dims.as_slice()
        );
        Ok(Some((axis, vec![dims.size(axis) / count; count])))
    }
}
