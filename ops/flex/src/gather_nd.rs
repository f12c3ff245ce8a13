//! GatherNd: gathers slices by index vectors. Any type.
//! Defined by: tensorflow/core/kernels/gather_nd_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::scatter::{BadIndexPolicy, starts};

/// The `FlexGatherNd` op.
pub type GatherNd = Node<Definition>;

/// Attributes, shape function and kernel of `FlexGatherNd`.
pub struct Definition {
    outside: BadIndexPolicy,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexGatherNd";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { outside: BadIndexPolicy::new(def)? })
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
