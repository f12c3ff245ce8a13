//! Gather: the slices that indices name, along an axis. Any type.
//! Defined by: tensorflow/core/kernels/gather_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::pick;

/// The op.
pub type Gather = Node<Definition>;

/// What it computes.
pub struct Definition {
    batch: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexGather";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition { batch: 0 })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, indices, Some((axis, batch))) = (x.dims(0)?, x.dims(1)?, self.axis(x)?) else { return Ok(None) };
        ensure!(
            dims.as_slice()[..batch] == indices.as_slice()[..batch],
            "{:?} and indices {:?}: their first {batch} axes must agree",
            dims.as_slice(),
            indices.as_slice()
        );
        let sizes = dims.as_slice()[..axis].iter().chain(&indices.as_slice()[batch..]).chain(&dims.as_slice()[axis + 1..]);
        shape_of(sizes.map(|&d| d.into())).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let Some((axis, batch)) = self.axis(&call.inputs())? else { return Err(invalid!("no axis")) };
        let (dims, at) = (call.dims(0)?, call.dims(1)?);
        let (_, size, inner) = dims.split_at(axis);
        let outer = dims.product(batch, axis).max(1);
        let coords = at.product(batch, at.rank()).max(1);
        let indices = integers(&call.input(1)?)?;
        if let Some(index) = indices.iter().find(|&&i| !(0..size as i64).contains(&i)) {
            return Err(invalid!("index {index} lies outside of 0..{size}"));
        }
        pick(call, 0, &[call.input(0)?], |k| {
            let (k, within) = (k / inner, k % inner);
            let (slice, coord) = (k / coords, k % coords);
            let index = indices.get(slice / outer * coords + coord).copied().unwrap_or_default() as usize;
            Some((0, (slice * size + index) * inner + within))
        })
    }
}

impl Definition {
    fn axis(&self, x: &Inputs<'_, '_>) -> Result<Option<(usize, usize)>> {
        let dims = x.dims(0)?;
        let axis = 0;
        let rank = x.dims(1)?.rank();
        let batch = if self.batch < 0 { self.batch + rank as i64 } else { self.batch };
        let axis = axis_of(axis, dims.rank())?;
        ensure!(
            (0..=rank.min(axis) as i64).contains(&batch),
            "{} batch axes do not go with axis {axis} and indices of rank {rank}",
            self.batch
        );
        Ok(Some((axis, batch as usize)))
    }
}
