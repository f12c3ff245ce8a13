//! Slice: `size` elements along each axis, starting at `begin`; a size of −1 takes all that follow. Any type.
//! Defined by: tensorflow/core/kernels/slice_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexSlice` op.
pub type Slice = Node<Definition>;

/// Shape function and kernel of `FlexSlice`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexSlice";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(begin), Some(size)) = (x.dims(0)?, x.list(1)?, x.list(2)?) else { return Ok(None) };
        ensure!(
            begin.len() == dims.rank() && size.len() == dims.rank(),
            "begin {begin:?} and size {size:?} of {:?}; one number is needed for each axis",
            dims.as_slice()
        );
        let mut sizes = Vec::new();
        for (axis, (&begin, &size)) in begin.iter().zip(&size).enumerate() {
            let all = dims.size(axis) as i64;
            let end = if size == -1 { all } else { begin.saturating_add(size) };
            ensure!(
                (0..=all).contains(&begin) && (begin..=all).contains(&end),
                "begin {begin} and size {size} exceed axis {axis} of {:?}",
                dims.as_slice()
            );
            sizes.push(end - begin);
        }
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, output, begin) = (call.dims(0)?, call.output_dims(0)?, integers(&call.input(1)?)?);
        pick(call, 0, &[call.input(0)?], |k| {
            let mut at = unravel(k, &output);
            at.iter_mut().zip(&begin).for_each(|(at, &begin)| *at += begin as usize);
            Some((0, ravel(&at, &dims)))
        })
    }
}
