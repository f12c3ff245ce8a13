//! Concatenation along an axis.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::elements::{pick, ravel, unravel};
use super::kernel::{Call, Inputs, Program, axis_of, shape_of};
use super::node_def::NodeDef;

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// Whether the axis is the first input; otherwise it is the last.
    pub axis_first: bool,
}

/// A prepared node of the family.
pub struct Concat(&'static Member);

impl Program for Concat {
    type Member = Member;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        node.expect(2..=usize::MAX, 1..=1)?;
        Ok(Concat(of))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some((axis, dims)) = self.parts(x)? else { return Ok(None) };
        let mut sizes: Vec<i64> = dims[0].as_slice().iter().map(|&d| d.into()).collect();
        sizes[axis] = dims.iter().map(|d| d.size(axis) as i64).sum();
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (axis, dims) = self.parts(&call.inputs())?.ok_or_else(|| invalid!("no axis"))?;
        let output = call.output_dims(0)?;
        let first = usize::from(self.0.axis_first);
        let sources = (0..dims.len()).map(|i| call.input(first + i)).collect::<Result<Vec<_>>>()?;
        pick(call, 0, &sources, |k| {
            let mut at = unravel(k, &output);
            let mut source = 0;
            while source + 1 < dims.len() && at[axis] >= dims[source].size(axis) {
                at[axis] -= dims[source].size(axis);
                source += 1;
            }
            Some((source, ravel(&at, &dims[source])))
        })
    }
}

impl Concat {
    /// The axis, and the shape of each tensor to join; `None` if the axis is not known yet.
    fn parts(&self, x: &Inputs<'_, '_>) -> Result<Option<(usize, Vec<Dims>)>> {
        let first = usize::from(self.0.axis_first);
        let Some(axis) = x.integer(if self.0.axis_first { 0 } else { x.len() - 1 })? else { return Ok(None) };
        let dims = (first..first + x.len() - 1).map(|i| x.dims(i)).collect::<Result<Vec<_>>>()?;
        let axis = axis_of(axis, dims[0].rank())?;
        for other in &dims {
            let agrees = other.rank() == dims[0].rank()
                && (0..other.rank()).all(|a| a == axis || other.size(a) == dims[0].size(a));
            ensure!(
                agrees,
                "{:?} and {:?} cannot be joined along axis {axis}; their other axes must agree",
                dims[0].as_slice(),
                other.as_slice()
            );
        }
        Ok(Some((axis, dims)))
    }
}
