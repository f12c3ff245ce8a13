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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let (a, b) = (x(&[2], &[1, 2]), x(&[2], &[3, 4]));
            gives::<super::Pack>(&[], &[a.clone(), b.clone()], &[x(&[2, 2], &[1, 2, 3, 4])]);
            gives::<super::Pack>(&[("axis", Int(-1))], &[a, b], &[x(&[2, 2], &[1, 3, 2, 4])]);
            gives::<super::Pack>(&[("axis", Int(-1))], &[x(&[], &[7])], &[x(&[1], &[7])]);
        });
        gives::<super::Pack>(&[("axis", Int(1))], &[ints(&[]), ints(&[])], &[Tensor::i32(&[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        refuses::<super::Pack>(
            &[],
            &[ints(&[1, 2]), ints(&[1])],
            &[I32],
            "inputs are [2] and [1]; they must agree",
        );
        refuses::<super::Pack>(
            &[("axis", Int(2))],
            &[ints(&[1])],
            &[I32],
            "axis 2 does not exist in a tensor of rank 2",
        );
        refuses::<super::Pack>(
            &[("axis", Int(-2))],
            &[int(1)],
            &[I32],
            "axis -2 does not exist in a tensor of rank 1",
        );
        refuses::<super::Pack>(&[], &[], &[I32], "it has 0 inputs, this op takes 1 to 18446744073709551615");
    }
}
