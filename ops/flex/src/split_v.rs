//! SplitV: parts of the input along an axis. Any type. Inputs: tensor, sizes (one may be −1), axis.
//! Defined by: tensorflow/core/kernels/split_v_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::pick;

/// The op.
pub type SplitV = Node<Definition>;

/// What it computes.
pub struct Definition {
    count: usize,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexSplitV";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=usize::MAX)?;
        Ok(Definition { count: node.output_count() })
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        let (dims, Some((axis, parts))) = (x.dims(0)?, self.parts(x)?) else { return Ok(None) };
        let mut sizes: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        sizes[axis] = parts.get(output).copied().unwrap_or_default() as i64;
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let Some((axis, parts)) = self.parts(&call.inputs())? else { return Err(invalid!("no parts")) };
        let (_, size, inner) = call.dims(0)?.split_at(axis);
        let mut start = 0;
        for (i, part) in parts.into_iter().enumerate() {
            if call.wants(i) {
                pick(call, i, &[call.input(0)?], |k| {
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
        let (dims, Some(sizes), Some(axis)) = (x.dims(0)?, x.integers(1)?, x.integer(2)?) else { return Ok(None) };
        let axis = axis_of(axis, dims.rank())?;
        let all = dims.size(axis) as i64;
        let known: i64 = sizes.iter().filter(|&&s| s != -1).fold(0, |sum, &s| sum.saturating_add(s));
        let parts: Vec<i64> = sizes.iter().map(|&s| if s == -1 { all.saturating_sub(known) } else { s }).collect();
        let sound = parts.len() == self.count
            && parts.iter().all(|&s| (0..=all).contains(&s))
            && parts.iter().sum::<i64>() == all;
        ensure!(sound, "sizes {sizes:?} do not divide axis {axis} of {:?}", dims.as_slice());
        Ok(Some((axis, parts.into_iter().map(|s| s as usize).collect())))
    }
}
