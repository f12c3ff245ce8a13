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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2], &[1, 2]);
            gives::<super::ExpandDims>(&[], &[data.clone(), int(0)], &[x(&[1, 2], &[1, 2])]);
            gives::<super::ExpandDims>(&[], &[data.clone(), long(-1)], &[x(&[2, 1], &[1, 2])]);
            gives::<super::ExpandDims>(&[], &[data, ints(&[1])], &[x(&[2, 1], &[1, 2])]);
        });
        gives::<super::ExpandDims>(&[], &[int(5), int(-1)], &[ints(&[5])]);
        gives::<super::ExpandDims>(&[], &[floats(&[]), int(0)], &[Tensor::f32(&[1, 0], &[])]);
    }

    #[test]
    fn refusals() {
        let x = ints(&[1, 2]);
        refuses::<super::ExpandDims>(
            &[],
            &[x.clone(), int(2)],
            &[I32],
            "axis 2 does not exist in a tensor of rank 2",
        );
        refuses::<super::ExpandDims>(
            &[],
            &[x.clone(), int(-3)],
            &[I32],
            "axis -3 does not exist in a tensor of rank 2",
        );
        refuses::<super::ExpandDims>(
            &[],
            &[x.clone(), ints(&[0, 1])],
            &[I32],
            "'in1' is [2]; one element is needed",
        );
        refuses::<super::ExpandDims>(&[], &[x], &[I32], "it has 1 inputs, this op takes 2 to 2");
    }
}
