//! Roll: shifts elements cyclically along axes. Any type. Inputs: tensor, shifts, axes.
//! Defined by: tensorflow/core/kernels/roll_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers};
use crate::kit::node_def::NodeDef;

/// The `FlexRoll` op.
pub type Roll = Node<Definition>;

/// Shape function and kernel of `FlexRoll`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexRoll";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, ranks) = (node.input(0)?, [node.input(1)?.rank(), node.input(2)?.rank()]);
        ensure!(x.rank() > 0, "{x} is a scalar, which has no axis to roll along");
        ensure!(
            ranks.iter().all(|&rank| rank <= 1),
            "shifts and axes have ranks {ranks:?}; lists are needed"
        );
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (shifts, axes) = (integers(&call.input(1)?)?, integers(&call.input(2)?)?);
        ensure!(
            shifts.len() == axes.len(),
            "{} shifts for {} axes; their numbers must agree",
            shifts.len(),
            axes.len()
        );
        let mut back = [0i64; 8];
        for (&shift, &axis) in shifts.iter().zip(&axes) {
            let axis = axis_of(axis, dims.rank())?;
            let size = dims.size(axis).max(1) as i64;
            back[axis] = (back[axis] + shift.rem_euclid(size)) % size;
        }
        pick(call, 0, &[call.input(0)?], |k| {
            let mut at = unravel(k, &dims);
            for axis in 0..dims.rank() {
                let size = dims.size(axis).max(1);
                at[axis] = (at[axis] + size - back[axis] as usize) % size;
            }
            Some((0, ravel(&at, &dims)))
        })
    }
}
