//! GatherNd: the slices that lists of indices name. Any type.
//! Defined by: tensorflow/core/kernels/gather_nd_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::pick;
use crate::kit::scatter::starts;

/// The op.
pub type GatherNd = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexGatherNd";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, indices) = (x.dims(0)?, x.dims(1)?);
        let depth = indices.as_slice().last().copied().unwrap_or(-1);
        ensure!(
            (0..=dims.rank() as i32).contains(&depth),
            "indices {:?} do not name slices of {:?}",
            indices.as_slice(),
            dims.as_slice()
        );
        let outer = &indices.as_slice()[..indices.rank() - 1];
        shape_of(outer.iter().chain(&dims.as_slice()[depth as usize..]).map(|&d| d.into())).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (dims, at) = (call.dims(0)?, call.dims(1)?);
        let depth = at.as_slice().last().copied().unwrap_or_default() as usize;
        let starts = starts(&integers(&call.input(1)?)?, depth, &dims)?;
        let inner = dims.product(depth, dims.rank()).max(1);
        pick(call, 0, &[call.input(0)?], |k| {
            Some((0, if depth == 0 { k % inner } else { starts.get(k / inner)? + k % inner }))
        })
    }
}
