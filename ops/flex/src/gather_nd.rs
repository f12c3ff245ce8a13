//! GatherNd: gathers slices by index vectors. Any type.
//! Defined by: tensorflow/core/kernels/gather_nd_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::scatter::{Outside, starts};

/// The `FlexGatherNd` op.
pub type GatherNd = Node<Definition>;

/// Attributes, shape function and kernel of `FlexGatherNd`.
pub struct Definition {
    outside: Outside,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexGatherNd";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { outside: Outside::new(def)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, indices) = (x.dims(0)?, x.dims(1)?);
        let depth = indices.as_slice().last().copied().unwrap_or(-1);
        ensure!(
            (0..=dims.rank() as i32).contains(&depth),
            "indices {:?} do not match a tensor of shape {:?}",
            indices.as_slice(),
            dims.as_slice()
        );
        let outer = &indices.as_slice()[..indices.rank() - 1];
        ensure!(
            dims.flat_size() > 0 || outer.contains(&0),
            "indices {:?} refer to slices of {:?}, which has no elements",
            indices.as_slice(),
            dims.as_slice()
        );
        shape_of(outer.iter().chain(&dims.as_slice()[depth as usize..]).map(|&d| d.into())).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, at) = (call.dims(0)?, call.dims(1)?);
        let depth = at.size(at.rank() - 1);
        let count = at.product(0, at.rank() - 1);
        let starts = starts(&integers(&call.input(1)?)?, count, depth, &dims, self.outside)?;
        let inner = dims.product(depth, dims.rank()).max(1);
        pick(call, 0, &[call.input(0)?], |k| {
            let start = starts.get(k / inner).copied().flatten()?;
            Some((0, start + k % inner))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 2], &[1, 2, 3, 4]);
            let inputs = [data.clone(), Tensor::i32(&[2, 2], &[1, 0, 0, 1])];
            gives::<super::GatherNd>(&[], &inputs, &[x(&[2], &[3, 2])]);
            gives::<super::GatherNd>(&[], &[data.clone(), longs(&[1])], &[x(&[2], &[3, 4])]);
            // An index vector of length 0 selects the whole tensor.
            let inputs = [data.clone(), Tensor::i32(&[2, 0], &[])];
            gives::<super::GatherNd>(&[], &inputs, &[x(&[2, 2, 2], &[1, 2, 3, 4, 1, 2, 3, 4])]);
            let inputs = [data, Tensor::i32(&[2, 1], &[5, 1])];
            gives::<super::GatherNd>(
                &[("bad_indices_policy", Text("IGNORE"))],
                &inputs,
                &[x(&[2, 2], &[0, 0, 3, 4])],
            );
        });
        let inputs = [Tensor::f32(&[0, 2], &[]), Tensor::i32(&[0, 1], &[])];
        gives::<super::GatherNd>(&[], &inputs, &[Tensor::f32(&[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        let x = Tensor::i32(&[2, 2], &[1, 2, 3, 4]);
        let inputs = [x.clone(), Tensor::i32(&[1, 2], &[0, 2])];
        refuses::<super::GatherNd>(&[], &inputs, &[I32], "index [0, 2] is out of bounds for [2, 2]");
        refuses::<super::GatherNd>(
            &[],
            &[x.clone(), ints(&[-1])],
            &[I32],
            "index [-1] is out of bounds for [2]",
        );
        refuses::<super::GatherNd>(
            &[],
            &[x.clone(), ints(&[0, 0, 0])],
            &[I32],
            "indices [3] do not match a tensor of shape [2, 2]",
        );
        refuses::<super::GatherNd>(
            &[],
            &[x.clone(), int(0)],
            &[I32],
            "indices [] do not match a tensor of shape [2, 2]",
        );
        let inputs = [Tensor::i32(&[2, 0], &[]), ints(&[0])];
        refuses::<super::GatherNd>(
            &[],
            &inputs,
            &[I32],
            "indices [1] refer to slices of [2, 0], which has no elements",
        );
        let message = "attribute 'bad_indices_policy' is 'CLAMP'; it may be , DEFAULT, ERROR, IGNORE";
        refuses::<super::GatherNd>(
            &[("bad_indices_policy", Text("CLAMP"))],
            &[x, ints(&[0])],
            &[I32],
            message,
        );
    }
}
