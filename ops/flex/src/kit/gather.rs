//! Gathering slices along an axis by indices.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::elements::pick;
use super::kernel::{Call, Inputs, Program, axis_of, integers, shape_of};
use super::node_def::NodeDef;

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// Whether input 2 gives the axis and the attribute `batch_dims` the number of batch axes. Otherwise slices are
    /// taken along axis 0.
    pub axis: bool,
}

/// A prepared node of the family.
pub struct Gather {
    batch: i64,
    of: &'static Member,
}

impl Program for Gather {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let inputs = 2 + usize::from(of.axis);
        node.expect(inputs..=inputs, 1..=1)?;
        Ok(Gather { batch: if of.axis { def.int("batch_dims", 0)? } else { 0 }, of })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, indices) = (x.dims(0)?, x.dims(1)?);
        let Some((axis, batch)) = self.axis(x)? else { return Ok(None) };
        let (dims, indices) = (dims.as_slice(), indices.as_slice());
        ensure!(
            dims[..batch] == indices[..batch],
            "{dims:?} and indices {indices:?}: their first {batch} axes must agree"
        );
        let sizes = dims[..axis].iter().chain(&indices[batch..]).chain(&dims[axis + 1..]);
        shape_of(sizes.map(|&d| d.into())).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (axis, batch) = self.axis(&call.inputs())?.ok_or_else(|| invalid!("no axis"))?;
        let (dims, at) = (call.dims(0)?, call.dims(1)?);
        let (_, size, inner) = dims.split_at(axis);
        let outer = dims.product(batch, axis).max(1);
        let coords = at.product(batch, at.rank()).max(1);
        let indices = integers(&call.input(1)?)?;
        if let Some(index) = indices.iter().find(|&&i| !(0..size as i64).contains(&i)) {
            return Err(invalid!("index {index} is out of bounds for 0..{size}"));
        }
        pick(call, 0, &[call.input(0)?], |k| {
            let (k, within) = (k / inner, k % inner);
            let (slice, coord) = (k / coords, k % coords);
            let index = indices.get(slice / outer * coords + coord).copied().unwrap_or_default() as usize;
            Some((0, (slice * size + index) * inner + within))
        })
    }
}

impl Gather {
    /// The axis and the number of batch axes; `None` if the axis is not known yet.
    fn axis(&self, x: &Inputs<'_, '_>) -> Result<Option<(usize, usize)>> {
        let Some(axis) = (if self.of.axis { x.scalar(2)? } else { Some(0) }) else { return Ok(None) };
        let axis = axis_of(axis, x.dims(0)?.rank())?;
        let rank = x.dims(1)?.rank();
        let batch = if self.batch < 0 { self.batch.saturating_add(rank as i64) } else { self.batch };
        ensure!(
            (0..=rank.min(axis) as i64).contains(&batch),
            "{} batch axes are incompatible with axis {axis} and indices of rank {rank}",
            self.batch
        );
        Ok(Some((axis, batch as usize)))
    }
}
