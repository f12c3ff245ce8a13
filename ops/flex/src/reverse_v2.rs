//! ReverseV2: reverses the elements along axes. Any type.
//! Defined by: tensorflow/core/kernels/reverse_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers};
use crate::kit::node_def::NodeDef;

/// The `FlexReverseV2` op.
pub type ReverseV2 = Node<Definition>;

/// Shape function and kernel of `FlexReverseV2`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexReverseV2";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        let axes = node.input(1)?;
        ensure!(axes.rank() == 1, "'{}' is {:?}; a list is needed", axes.name, axes.shape);
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let axes = integers(&call.input(1)?)?;
        let axes = axes.iter().map(|&axis| axis_of(axis, dims.rank())).collect::<Result<Vec<_>>>()?;
        for (i, axis) in axes.iter().enumerate() {
            ensure!(!axes[..i].contains(axis), "axis {axis} is listed twice");
        }
        pick(call, 0, &[call.input(0)?], |k| {
            let mut at = unravel(k, &dims);
            axes.iter().for_each(|&axis| at[axis] = dims.size(axis) - 1 - at[axis]);
            Some((0, ravel(&at, &dims)))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 3], &[1, 2, 3, 4, 5, 6]);
            gives::<super::ReverseV2>(&[], &[data.clone(), ints(&[-1])], &[x(&[2, 3], &[3, 2, 1, 6, 5, 4])]);
            gives::<super::ReverseV2>(
                &[],
                &[data.clone(), longs(&[0, 1])],
                &[x(&[2, 3], &[6, 5, 4, 3, 2, 1])],
            );
            gives::<super::ReverseV2>(&[], &[data.clone(), ints(&[])], &[data]);
        });
        gives::<super::ReverseV2>(&[], &[int(3), ints(&[])], &[int(3)]);
        gives::<super::ReverseV2>(&[], &[floats(&[]), ints(&[0])], &[floats(&[])]);
    }

    #[test]
    fn refusals() {
        let x = ints(&[1, 2, 3]);
        refuses::<super::ReverseV2>(
            &[],
            &[x.clone(), ints(&[1])],
            &[I32],
            "axis 1 does not exist in a tensor of rank 1",
        );
        refuses::<super::ReverseV2>(&[], &[x.clone(), ints(&[0, -1])], &[I32], "axis 0 is listed twice");
        refuses::<super::ReverseV2>(&[], &[x.clone(), int(0)], &[I32], "'in1' is []; a list is needed");
        refuses::<super::ReverseV2>(&[], &[x], &[I32], "it has 1 inputs, this op takes 2 to 2");
    }
}
